// SPDX-License-Identifier: MIT
#include "common/sorting/sort_verifier.hpp"

#include <algorithm>
#include <atomic>

#include "common/base/text.hpp"
#include "common/input/parallel_ranges.hpp"

namespace course::sorting {

namespace {

// Two mixers that share nothing with each other or with the generator of the inputs: the finalizer
// of MurmurHash3 (Appleby 2011), and the multiplier of MurmurHash64A in an xmx construction (Maiga
// 2020). Each mixes the key with its own constant.
std::uint64_t mix_first(std::uint64_t z) {
    z ^= 0x243f6a8885a308d3;
    z = (z ^ (z >> 33)) * 0xff51afd7ed558ccd;
    z = (z ^ (z >> 33)) * 0xc4ceb9fe1a85ec53;
    return z ^ (z >> 33);
}

std::uint64_t mix_second(std::uint64_t z) {
    z = (z + 0x13198a2e03707344) * 0xe9846af9b1a615d;
    z = (z ^ (z >> 32)) * 0xe9846af9b1a615d;
    return z ^ (z >> 28);
}

}  // namespace

Fingerprint fingerprint_of(std::span<const Key> keys) {
    std::atomic<std::uint64_t> first = 0, second = 0;
    parallel_ranges(static_cast<std::int64_t>(keys.size()),
                    [&](std::int64_t begin, std::int64_t end) {
                        std::uint64_t sums[2] = {0, 0};
                        for (std::int64_t i = begin; i < end; ++i) {
                            const std::uint64_t bits = static_cast<std::uint32_t>(keys[i]);
                            sums[0] += mix_first(bits);
                            sums[1] += mix_second(bits);
                        }
                        first += sums[0];
                        second += sums[1];
                    });
    return {static_cast<std::int64_t>(keys.size()), {first, second}};
}

Verifier::Verifier(std::span<const Key> input, std::int64_t max_exact)
    : count_(static_cast<std::int64_t>(input.size())), exact_(count_ <= max_exact) {
    if (exact_) {
        answer_.assign(input.begin(), input.end());
        std::sort(answer_.begin(), answer_.end());
    } else {
        fingerprint_ = fingerprint_of(input);
    }
}

Verdict Verifier::compare_exactly(std::span<const Key> output) const {
    for (std::int64_t i = 0; i < count_; ++i) {
        if (output[i] != answer_[i]) {
            return {false, text("key ", i, " of ", count_, " is ", output[i], ", the right one is ",
                                answer_[i])};
        }
    }
    return {true, text("all ", count_, " keys equal to std::sort's")};
}

Verdict Verifier::verify(std::span<const Key> output) const {
    if (static_cast<std::int64_t>(output.size()) != count_) {
        return {false, text(output.size(), " keys in the output, of ", count_)};
    }
    if (exact_) return compare_exactly(output);

    // The smallest index, independent of the ranges.
    std::atomic<std::int64_t> falls_at = count_;
    parallel_ranges(count_ - 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            if (output[i] <= output[i + 1]) continue;
            std::int64_t earliest = falls_at;
            while (i < earliest && !falls_at.compare_exchange_weak(earliest, i)) {
            }
            return;
        }
    });
    if (falls_at < count_) {
        const std::int64_t i = falls_at;
        return {false, text("key ", i, " of ", count_, " is ", output[i], " and the next one is ",
                            output[i + 1], ": not in order")};
    }
    if (fingerprint_of(output) != fingerprint_) {
        return {false, text("in order, but not the ", count_, " keys of the input")};
    }
    return {true, text(count_, " keys in order, with the input's fingerprint")};
}

}  // namespace course::sorting
