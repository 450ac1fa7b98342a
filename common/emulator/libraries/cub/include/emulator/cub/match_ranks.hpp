// SPDX-License-Identifier: MIT
// Ranks of digits in a warp-striped tile: the lanes of a warp that have equal digits find each
// other and count together.
#pragma once

#include <emulator/cub/digit_ranks.hpp>
#include <type_traits>

namespace emulator {

// What a callback gets for a digit: its total, or the next digit's base less its own.
enum class DigitCounts { totals, differences };

template <int kThreads, int kRadixBits, bool kDescending, DigitCounts kCounts>
class MatchRanks {
    using Block = CubBlock<kThreads>;
    static constexpr int kDigits = 1 << kRadixBits;
    static constexpr int kWarps = (kThreads + 31) / 32;

  public:
    using TempStorage = DigitCounters<int, kDigits, kWarps>;

  private:
    using Ranks = DigitRanks<Block, kDigits, kWarps, kDescending, TempStorage>;

  public:
    enum { BINS_TRACKED_PER_THREAD = Ranks::kBins };

    MatchRanks() : MatchRanks(private_cub_storage<TempStorage>()) {}
    explicit MatchRanks(TempStorage& storage) : ranks_(storage) {}

    template <class Bits, int kItems, class Extractor, class Callback>
    void RankKeys(Bits (&keys)[kItems], int (&ranks)[kItems], Extractor extractor,
                  int (&prefixes)[BINS_TRACKED_PER_THREAD], Callback callback) {
        RankKeys(keys, ranks, extractor, callback);
        ranks_.read_bases(prefixes);
    }
    template <class Bits, int kItems, class Extractor>
    void RankKeys(Bits (&keys)[kItems], int (&ranks)[kItems], Extractor extractor,
                  int (&prefixes)[BINS_TRACKED_PER_THREAD]) {
        RankKeys(keys, ranks, extractor);
        ranks_.read_bases(prefixes);
    }
    template <class Bits, int kItems, class Extractor, class Callback>
    requires std::is_invocable_v<Callback&, int (&)[BINS_TRACKED_PER_THREAD]>
    void RankKeys(Bits (&keys)[kItems], int (&ranks)[kItems], Extractor extractor,
                  Callback callback) {
        RankKeys(keys, ranks, extractor);
        int counts[BINS_TRACKED_PER_THREAD] = {};
        if constexpr (kCounts == DigitCounts::totals) {
            ranks_.read_totals(counts);
        } else {
            ranks_.read_differences(counts, kThreads * kItems);
        }
        callback(counts);
    }
    // Equal digits are in the order of the items, then of the lanes.
    template <class Bits, int kItems, class Extractor>
    void RankKeys(Bits (&keys)[kItems], int (&ranks)[kItems], Extractor extractor) {
        const int warp = Block::rank() / 32;
        const int lane = Block::rank() % 32;
        const int lanes = kThreads - warp * 32 < 32 ? kThreads - warp * 32 : 32;
        const unsigned int all = ~0u >> (32 - lanes);
        std::uint32_t digits[kItems];
        ranks_.reset();
        for (int i = 0; i < kItems; ++i) {
            digits[i] = extractor.Digit(keys[i]);
            const unsigned int alike = __match_any_sync(all, digits[i]);
            const unsigned int before = alike & ((1u << lane) - 1);
            int& counter = ranks_.counter(digits[i], warp);
            ranks[i] = counter + __popc(before);
            __syncwarp(all);  // the first of the lanes writes what the others read
            if (before == 0) counter += __popc(alike);
            __syncwarp(all);
        }
        ranks_.add_groups();
        ranks_.complete(ranks, digits, warp);
    }

  private:
    Ranks ranks_;
};

}  // namespace emulator
