// SPDX-License-Identifier: MIT
// EMULATOR_TIMELINE: what ran, in which order, and where, as CSV: the device, the tasks of streams,
// grids, and blocks. Times are ticks: the engine counts its events, it does not time a GPU.
#pragma once

#include <cstdint>
#include <string>

#include "common/emulator/engine/grid.hpp"

namespace emulator::timeline {

// Whether the program writes a timeline. The first call opens the file.
bool is_on();

// One tick later. All functions below may be called by several workers.
std::uint64_t tick();

// A stream's task. `after`: the tasks that it is ordered after, as "stream:number" with blanks.
// The names that it is given by what it does (name_task) become one text.
void begin_task(const std::string& stream, std::uint64_t number, const std::string& after);
void name_task(const std::string& what);
void end_task();

// A grid: begins with its first block and ends with its last one. A grid that device code launched
// has a parent.
void begin_grid(Grid& grid);
void end_grid(const Grid& grid);
void begin_block(const Grid& grid, std::int64_t block);
void end_block();

}  // namespace emulator::timeline
