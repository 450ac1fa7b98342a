// SPDX-License-Identifier: MIT
// Where an observer of the execution attaches: functions that are called when set. They run on the
// worker that runs the block, in device code's place: they may look, not wait.
#pragma once

#include <cstdint>

namespace emulator {

struct Grid;
class Worker;

struct Hooks {
    void (*grid_begin)(const Grid& grid) = nullptr;
    void (*grid_end)(const Grid& grid) = nullptr;
    void (*block_begin)(Worker& worker) = nullptr;
    void (*block_end)(Worker& worker) = nullptr;
    // Every live thread of the block has arrived at a barrier, and none has left it.
    void (*barrier_complete)(Worker& worker) = nullptr;
    // The lanes in `arrived` have met in a warp collective, and none has left it.
    void (*collective_complete)(Worker& worker, int warp, std::uint32_t arrived) = nullptr;
};

extern Hooks hooks;

}  // namespace emulator
