// SPDX-License-Identifier: MIT
// Finds blocks that poll: the blocks of a cooperative grid take turns, and a block that waits for
// another one, by reading a flag again and again, must let it run.
#pragma once

#include <cstdint>

#include "common/emulator/engine/worker.hpp"

namespace emulator::counting {

// Before these lanes' events are replayed. Whether the lanes have repeated a volatile or atomic
// access of global memory many times since they last stored anything else.
bool lanes_poll(int warp, std::uint32_t lanes);

// The running block begins, or its turn has passed.
void forget_polls();

}  // namespace emulator::counting
