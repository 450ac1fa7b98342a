// SPDX-License-Identifier: MIT
// EMULATOR_TIMELINE: what ran, in which order, and where, as CSV: the device, the tasks of streams,
// grids, and blocks. Times are ticks: the engine counts its events, it does not time a GPU.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace emulator::timeline {

// Whether the program writes a timeline. The first call opens the file.
bool is_on();
// Completes the file, if there is one. It runs at exit; a later call does nothing.
void finish();

// One tick later. All functions below may be called by several workers.
std::uint64_t tick();

// A stream's task. `after`: the tasks that it is ordered after, as "stream:number" with blanks.
// The names that it is given by what it does (name_task) become one text.
void begin_task(const std::string& stream, std::uint64_t number, const std::string& after);
void name_task(const std::string& what);
void end_task();

// A grid, from its first block to its last one. `parent`: the grid, block and thread of device code
// that launched it, as "1:0:3"; empty: the running task did. `queued`: the tick of that launch.
struct GridSpan {
    std::uint64_t serial = 0;
    std::string name;
    std::string parent{};
    std::uint64_t queued = 0;
    std::uint64_t begin = 0;
    dim3 grid_dim{};
    dim3 block_dim{};
    std::size_t shared_bytes = 0;
    const void* kernel = nullptr;  // its address, if it is known
};
void end_grid(const GridSpan& grid);
void begin_block(std::uint64_t grid, std::int64_t block);
void end_block();

}  // namespace emulator::timeline
