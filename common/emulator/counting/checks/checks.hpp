// SPDX-License-Identifier: MIT
// The checks of a running kernel: races, memory out of bounds or unwritten, and barriers. The
// replay tells what each warp did, in an order that is possible on the hardware.
#pragma once

#include <cuda_runtime_api.h>

#include <csignal>
#include <cstdint>

#include "common/emulator/counting/checks/undefined_lanes.hpp"
#include "common/emulator/counting/record/request.hpp"

namespace emulator::counting {

// Races take most of the time of the checks. They may be switched off before the first kernel.
void set_races(bool on);

// A grid starts or ends. It is ordered after the tasks that its own task waits for, and partly with
// the kernel that launched it and the other grids of that kernel.
void begin_grid_checks(const Grid& grid);
void end_grid_checks(const Grid& grid);
// Around each block of a grid, on the worker that runs it.
void begin_block_checks(Worker& worker);
void end_block_checks(Worker& worker);
// A block of which nothing is recorded. From now on, what orders two other blocks may be missing.
void begin_unchecked_block();
// A barrier: all earlier accesses of the block's threads are ordered before all later ones.
// `of_grid`: it was a barrier of the grid, so that this holds for all its blocks.
void order_block(Worker& worker, bool of_grid);
// A thread launches a grid. The result is the value for Grid::launch_note. `is_checked`: whether
// the checks know the thread's block.
std::uint32_t note_launch(Worker& worker, int thread, cudaStream_t stream, bool is_checked);
// The lanes of `mask` met in __syncwarp().
void order_warp(Worker& worker, int warp, std::uint32_t mask);
// The lanes of `lanes` executed a fence, of the device or only of the block.
void order_fence(Worker& worker, int warp, std::uint32_t lanes, bool of_device);

// A thread arrives at a barrier of the block: `code` is the return address of the call.
void check_barrier(Worker& worker, int thread, const void* code, std::uint16_t path);
// The same for a warp collective.
void check_collective(Worker& worker, int thread, const void* code, std::uint16_t path);
// Lanes have met. The result: those whose value is undefined because of the lane that they read.
// The replay then says where the lanes of the meeting went on.
std::uint32_t check_meeting(Worker& worker, int warp, const Warp& values,
                            const WarpMeeting& meeting);
void judge_meeting(Worker& worker, int warp, PlaceId place, std::uint32_t met,
                   const NextBlocks& next);
// All live threads of the block wait, and no thread can release them.
void report_deadlock(Worker& worker);

// The handler of the time limit sets it. It may interrupt the replay, so it cannot end the block
// itself. check_time() does that, when the running thread is between two of its accesses.
extern volatile std::sig_atomic_t time_is_up;
void check_time(Worker& worker);
// The same before the running thread may wait for others, in a call at `code`: a loop with a
// barrier fills no buffer.
void check_time_at_call(Worker& worker, const void* code);
// The grid's launch has used up its time, though none of its blocks has.
void report_overdue_launch(const Grid& grid);

// Whether the running thread has read shared memory that its block has not written, as far as that
// is known. Its events are kept then, because the thread is about to wait.
bool running_thread_has_read_unwritten(Worker& worker);

// How many findings there are, with those that wait for the end of the block's interval.
std::size_t noted_findings();

// A request of global or shared memory.
void check_request(Worker& worker, int warp, const Request& request);

}  // namespace emulator::counting
