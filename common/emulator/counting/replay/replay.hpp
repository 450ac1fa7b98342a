// SPDX-License-Identifier: MIT
// Replay: the lanes of a warp were recorded one after the other. They are joined again, as the
// hardware runs them, and each step is counted and checked.
#pragma once

#include <cstdint>

#include "common/emulator/engine/worker.hpp"

namespace emulator::counting {

// Replays all that the warp's lanes have recorded. `kernel` is the index of their kernel. The
// result is the number of their events.
std::uint64_t replay_warp(Worker& worker, std::uint16_t kernel, int warp);

// Replays as long as the next events are known: until one of the lanes in `held` has no event left.
// The remaining events stay recorded, and are not in the result.
std::uint64_t replay_held_warp(Worker& worker, std::uint16_t kernel, int warp, std::uint32_t held);

// The events up to each lane's last store, atomic operation or fence: the block may be in the midst
// of work, but others are about to see what it has stored.
std::uint64_t replay_stores(Worker& worker, std::uint16_t kernel, int warp);

}  // namespace emulator::counting
