// SPDX-License-Identifier: MIT
// Describes where threads wait, for error messages.
#pragma once

#include <cstdint>
#include <emulator/launch.hpp>
#include <span>
#include <string>

#include "common/emulator/engine/async/async_work.hpp"
#include "common/emulator/engine/meeting.hpp"

namespace emulator {

const char* describe(BlockMeeting::Kind kind);
const char* describe(WarpOperation operation);
std::string hexadecimal(std::uint32_t value);

// The threads of a block that wait, one line for each place. `work` may be nullptr.
std::string describe_waiting_threads(const ThreadLoop& loop, const BlockMeeting& block_meeting,
                                     std::span<const Warp> warps, const AsyncWork* work);

}  // namespace emulator
