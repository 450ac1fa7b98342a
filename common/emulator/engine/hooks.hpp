// SPDX-License-Identifier: MIT
// Where an observer of the execution attaches: functions that are called if they are set. They run
// on the block's worker in place of device code: they may look, but not wait.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace emulator {

struct Grid;
class Worker;
enum class WarpOperation;

struct Hooks {
    void (*grid_begin)(const Grid& grid) = nullptr;
    void (*grid_end)(const Grid& grid) = nullptr;
    void (*block_begin)(Worker& worker) = nullptr;
    void (*block_end)(Worker& worker) = nullptr;
    // A thread is about to wait at a barrier of the block or the grid, at an __activemask(), or in
    // a warp collective; `code` is the return address of its call. False: it passes a barrier or a
    // __syncwarp() without waiting.
    bool (*barrier_begin)(Worker& worker, const void* code, bool of_grid) = nullptr;
    void (*convergence_begin)(Worker& worker, const void* code) = nullptr;
    bool (*collective_begin)(Worker& worker, const void* code, WarpOperation operation,
                             std::uint32_t mask) = nullptr;
    // Every live thread of the block has arrived at a barrier, and none has left it.
    void (*barrier_complete)(Worker& worker) = nullptr;
    // The same for the grid's barrier; all other blocks have arrived there too.
    void (*grid_barrier_complete)(Worker& worker) = nullptr;
    // The lanes in `arrived` have met in a warp collective, and none has left it.
    void (*collective_complete)(Worker& worker, int warp, std::uint32_t arrived) = nullptr;
    // All threads of a warp have returned. Only in programs whose accesses are counted.
    void (*warp_end)(Worker& worker, int warp) = nullptr;
    // The lanes in `held` called Worker::hold(); every other lane of the warp waits or has
    // returned.
    void (*warp_held)(Worker& worker, int warp, std::uint32_t held) = nullptr;
    // A thread is about to launch a grid. It may wait, by Worker::hold(). The result becomes
    // Grid::launch_note.
    std::uint32_t (*launch)(Worker& worker, cudaStream_t stream) = nullptr;
    // Every thread of the block that has not returned waits, and no thread is left to release it.
    void (*deadlock)(Worker& worker) = nullptr;
    // The running block's time is up, and the observer has to end it. Called in a signal handler.
    void (*time_is_up)() = nullptr;
};

inline Hooks hooks;

}  // namespace emulator
