// SPDX-License-Identifier: MIT
// Pairs of a key and a value, as the sorting chapters sort them, and the verdict on sorted pairs.
#pragma once

#include <cstdint>
#include <ostream>
#include <span>
#include <vector>

#include "common/harness/problem.hpp"
#include "common/sorting/keys.hpp"

namespace course::sorting {

// A pair as one integer: the key in the upper half, the value, an unsigned number, in the lower
// one. So pairs compare as their keys do, and pairs of equal keys as their values.
using Pair = std::int64_t;
using Value = std::uint32_t;

constexpr Pair pair_of(Key key, Value value) {
    return static_cast<Pair>(std::uint64_t{static_cast<std::uint32_t>(key)} << 32 | value);
}
constexpr Key key_of(Pair pair) { return static_cast<Key>(pair >> 32); }
constexpr Value value_of(Pair pair) { return static_cast<Value>(pair); }

// Pairs as two lists, in the same order: for a library that takes them so.
struct SplitPairs {
    std::vector<Key> keys;
    std::vector<Value> values;

    explicit SplitPairs(std::span<const Pair> pairs);
    void join(std::span<Pair> pairs) const;  // as many pairs as there are keys
};

// Judges a sort of pairs: the keys do not decrease, each value is still beside its key, and no
// value is there twice. So no pair is lost. The order of pairs with equal keys is free. Shares no
// code with any stage. `keys`: those of the input.
Verdict verify_pairs(std::span<const Key> keys, std::span<const Pair> output);

// Text has a key and its value in each line. Raw: int32, key and value in turn.
void write_pairs(std::ostream& out, std::span<const Pair> pairs, bool raw);

}  // namespace course::sorting
