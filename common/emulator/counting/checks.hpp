// SPDX-License-Identifier: MIT
// Races and uninitialised memory. The replay tells what each warp did, in an order in which
// it can have happened; each word of memory remembers its last accesses.
#pragma once

#include <cuda_runtime_api.h>

#include <csignal>
#include <functional>

#include "common/emulator/counting/places.hpp"
#include "common/emulator/counting/request.hpp"
#include "common/emulator/runtime/queued_work.hpp"

namespace emulator::counting {

// Once, before the first kernel: takes the engine's hooks of memory and streams, and sees to it
// that a program with findings does not end with 0.
void attach_checks();
// Races need most of the time of the checks: may be switched off before the first kernel.
void set_races(bool on);
// What only the end of the program shows: work that nobody waited for.
void finish_checks();

// Memory that the checks are to remember accesses of: what cudaMalloc() gives out.
void cover_memory(std::uintptr_t arena, std::size_t bytes);
void forget_memory(std::uintptr_t begin, std::size_t bytes);
// The host wrote, or copied from `source` if that is not 0: there not every byte may be written.
void note_written(std::uintptr_t begin, std::size_t bytes, std::uintptr_t source);

// A task of a stream starts, behind what `before` says; then what it is: a kernel whose grid comes
// next, or a copy or set, which is checked at once. `find_line`: where it was queued.
void begin_task_checks(std::uint64_t stream, std::uint64_t sequence, const Clock& before);
void begin_work_checks(const QueuedWork& work, std::function<SourceLine()> find_line);
// All that comes is behind all that was.
void forget_tasks();

// A grid starts. What its task is behind is ordered before it; what launched it, and what that
// launched besides, only in part.
void begin_grid_checks(const Grid& grid);
void end_grid_checks(const Grid& grid);
// Around each block of a grid, on the worker that runs it.
void begin_block_checks(Worker& worker);
void end_block_checks(Worker& worker);
// All that the block's threads did so far is ordered before what they do next. `of_grid`: the
// barrier was the grid's, and the same holds for all of its blocks.
void order_block(Worker& worker, bool of_grid);
// A thread launches a grid: a number for the launch, for Grid::launch_note.
std::uint32_t note_launch(Worker& worker, int thread, cudaStream_t stream);
// The lanes of `mask` met in __syncwarp().
void order_warp(Worker& worker, int warp, std::uint32_t mask);
// The lanes of `lanes` executed a fence of the device (not of the block alone).
void order_fence(Worker& worker, int warp, std::uint32_t lanes, bool of_device);

// A thread arrives at a barrier of the block: `code` is the return address of the call.
void check_barrier(Worker& worker, int thread, const void* code);
// The same for a warp collective.
void check_collective(Worker& worker, int thread, const void* code);
// Every thread of the block that has not returned waits, and none can come to release it.
void report_deadlock(Worker& worker);

// Set by the handler of the time limit. A thread that is between two of its accesses then ends its
// block, which the handler cannot do: it may interrupt the replay.
extern volatile std::sig_atomic_t time_is_up;
void check_time(Worker& worker);

// A request of global or shared memory. Atomics order too, together with fences.
void check_request(Worker& worker, int warp, const Request& request);

}  // namespace emulator::counting
