// SPDX-License-Identifier: MIT
// Whether a list is its input, sorted: the keys in order, and the same multiset of keys.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/harness/problem.hpp"
#include "common/input/keys.hpp"

namespace course::sorting {

// What two lists of the same keys in any order have in common: their length, and two sums modulo
// 2^64 of mixed keys. For another multiset, let key k be there d_k times more or less often. A sum
// is the same if the d_k-fold mixed keys cancel, which for mixing that acts as a random function
// has probability 2^-64 if some d_k is odd, and 2^(t - 64) if 2^t divides all of them. One key
// lost, doubled or altered: 2^-128 for both sums. The worst, 2^33 keys all exchanged for another
// one: 2^-62. (Sums and not exclusive ors, in which two equal keys would cancel always.)
struct Fingerprint {
    std::int64_t count = 0;
    std::uint64_t sums[2] = {0, 0};

    bool operator==(const Fingerprint&) const = default;
};

// On all cores; the same for every order of the keys.
Fingerprint fingerprint_of(std::span<const Key> keys);

// Up to kMaxExact keys a list is compared with the answer of std::sort; beyond, it must not
// decrease and have its input's fingerprint. Shares no code with any stage.
class Verifier {
  public:
    static constexpr std::int64_t kMaxExact = std::int64_t{1} << 22;

    // `input` is read during the construction only. `max_exact` is for tests.
    explicit Verifier(std::span<const Key> input, std::int64_t max_exact = kMaxExact);

    Verdict verify(std::span<const Key> output) const;

  private:
    Verdict compare_exactly(std::span<const Key> output) const;

    std::int64_t count_;
    bool exact_;
    std::vector<Key> answer_;  // where exact_
    Fingerprint fingerprint_;  // else
};

}  // namespace course::sorting
