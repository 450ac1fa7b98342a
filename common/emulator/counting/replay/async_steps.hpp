// SPDX-License-Identifier: MIT
// Replayed steps of asynchronous copies and mbarriers: counted and checked.
#pragma once

#include "common/emulator/counting/output/counters.hpp"

namespace emulator::counting {

// Lanes that execute one instruction together; operands and words by lane (async_events.hpp).
struct AsyncStep {
    PlaceId place;
    Head head;
    std::uint32_t lanes;
    const std::uint64_t* operands;
    const std::uint32_t* words;
};

// A step of kind copy, copy_wait, phase or proxy_fence.
void do_async_step(Worker& worker, int warp, Counts& counts, const AsyncStep& step);

}  // namespace emulator::counting
