// SPDX-License-Identifier: MIT
// Jumps of the Mersenne Twister MT19937.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace emulator::curand {

constexpr std::size_t kMtWords = 624;
// The words of a state, the oldest first, before tempering.
using MtWords = std::array<std::uint32_t, kMtWords>;

// Replaces all words by the 624 that follow them.
void next_mt_words(MtWords& words);

// Advances by 2^2048 words, the distance of cuRAND's subsequences. The first call takes a while.
void jump_mt_subsequence(MtWords& words);

}  // namespace emulator::curand
