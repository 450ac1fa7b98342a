// SPDX-License-Identifier: MIT
// Verifies a sort: the keys are in order, and they are the same multiset as in the input.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/harness/problem.hpp"
#include "common/sorting/keys.hpp"

namespace course::sorting {

// Equal for two lists of the same keys in any order: their length, and two sums modulo 2^64 of
// mixed keys. Suppose that another multiset has key k d_k times more or less often. One sum is
// still the same if the d_k-fold mixed keys cancel. If the mixing acts like a random function, the
// probability is 2^-64 if some d_k is odd, and 2^(t - 64) if 2^t divides all d_k. For one key that
// is lost, doubled or altered, both sums agree with probability 2^-128. The worst case, 2^33 equal
// keys that are all replaced by another key, has 2^-62. (Two equal keys would always cancel in
// exclusive ors.)
struct Fingerprint {
    std::int64_t count = 0;
    std::uint64_t sums[2] = {0, 0};

    bool operator==(const Fingerprint&) const = default;
};

// Runs on all cores. The result does not depend on the order of the keys.
Fingerprint fingerprint_of(std::span<const Key> keys);

// Compares up to kMaxExact keys with the answer of std::sort. A longer list must not decrease, and
// must have the fingerprint of its input. Shares no code with any stage.
class Verifier {
  public:
    static constexpr std::int64_t kMaxExact = std::int64_t{1} << 22;

    // `input` is read only by the constructor. `max_exact` is for tests.
    explicit Verifier(std::span<const Key> input, std::int64_t max_exact = kMaxExact);

    Verdict verify(std::span<const Key> output) const;

  private:
    Verdict compare_exactly(std::span<const Key> output) const;

    std::int64_t count_;
    bool exact_;
    std::vector<Key> answer_;  // if exact_
    Fingerprint fingerprint_;  // otherwise
};

}  // namespace course::sorting
