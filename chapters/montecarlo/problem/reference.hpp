// SPDX-License-Identifier: MIT
// The count that a stage must give, computed by other means.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "problem/method.hpp"

namespace montecarlo {

// Counts the points inside with its own generators, on all cores: every stage must give this
// count. It shares no code with the stages, cuRAND or the CPU engine. `generators` is
// Output::generators; those of cuRAND's host API ignore it.
std::uint64_t count_inside_reference(std::int64_t samples, std::uint64_t seed,
                                     std::int64_t generators, const Method& method = {});

// Whether the point of a word, or of two words, is inside.
bool is_word_inside(std::uint32_t word, PointTest test);
bool is_inside(std::uint32_t x_word, std::uint32_t y_word);

// The first `count` words of a stream, by the same generators. For cuRAND's host API, a stream is a
// subsequence.
std::vector<std::uint32_t> reference_words(Generator generator, std::uint64_t seed,
                                           std::uint64_t stream, std::int64_t count);

// Philox4x32-10: four words of a counter and a key.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::uint64_t key);

}  // namespace montecarlo
