// SPDX-License-Identifier: MIT
// Replay: a warp's lanes, recorded one after the other, are put together again as the hardware runs
// them, and each step is counted and checked.
#pragma once

#include <cstdint>

#include "common/emulator/engine/worker.hpp"

namespace emulator::counting {

// All that the warp's lanes have recorded. `kernel` is their kernel's index.
void replay_warp(Worker& worker, std::uint16_t kernel, int warp);

// As far as it is known what comes next: up to the point where one of the lanes in `held` has no
// event left. What is left keeps its place.
void replay_held_warp(Worker& worker, std::uint16_t kernel, int warp, std::uint32_t held);

}  // namespace emulator::counting
