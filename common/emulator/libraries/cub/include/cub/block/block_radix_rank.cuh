// SPDX-License-Identifier: MIT
// CUB's BlockRadixRank and its relatives: the ranks of a tile's keys by one digit. They differ in
// how a tile lies among the threads, and in who may ask for the counts of the digits.
#pragma once

#include <emulator/cub/match_ranks.hpp>

#include "block_scan.cuh"
#include "radix_rank_sort_operations.cuh"

namespace cub {

enum RadixRankAlgorithm {
    RADIX_RANK_BASIC,
    RADIX_RANK_MEMOIZE,
    RADIX_RANK_MATCH,
    RADIX_RANK_MATCH_EARLY_COUNTS_ANY,
    RADIX_RANK_MATCH_EARLY_COUNTS_ATOMIC_OR
};
enum WarpMatchAlgorithm { WARP_MATCH_ANY, WARP_MATCH_ATOMIC_OR };

template <int kBins>
struct BlockRadixRankEmptyCallback {
    void operator()(int (&)[kBins]) {}
};

// Keys in a blocked arrangement.
template <int kX, int kRadixBits, bool kDescending, bool kMemoize = true,
          BlockScanAlgorithm kScan = BLOCK_SCAN_WARP_SCANS,
          cudaSharedMemConfig kConfiguration = cudaSharedMemBankSizeFourByte, int kY = 1,
          int kZ = 1>
class BlockRadixRank {
    using Block = emulator::CubBlock<kX * kY * kZ>;
    static constexpr int kDigits = 1 << kRadixBits;

  public:
    // Two bytes per digit and thread, as in CUB.
    using TempStorage = emulator::DigitCounters<unsigned short, kDigits, Block::kCount>;

  private:
    using Ranks = emulator::DigitRanks<Block, kDigits, Block::kCount, kDescending, TempStorage>;

  public:
    enum { BINS_TRACKED_PER_THREAD = Ranks::kBins };

    BlockRadixRank() : BlockRadixRank(emulator::private_cub_storage<TempStorage>()) {}
    explicit BlockRadixRank(TempStorage& storage) : ranks_(storage) {}

    template <class Bits, int kItems, class Extractor>
    void RankKeys(Bits (&keys)[kItems], int (&ranks)[kItems], Extractor extractor) {
        static_assert(Block::kCount * kItems <= 65535, "a tile has at most 65535 keys");
        const int thread = Block::rank();
        std::uint32_t digits[kItems];
        ranks_.reset();
        for (int i = 0; i < kItems; ++i) {
            digits[i] = extractor.Digit(keys[i]);
            ranks[i] = ranks_.counter(digits[i], thread)++;
        }
        ranks_.add_groups();
        ranks_.complete(ranks, digits, thread);
    }
    // The prefixes of the digits threadIdx.x * BINS_TRACKED_PER_THREAD and following: how many keys
    // have a digit that comes before.
    template <class Bits, int kItems, class Extractor>
    void RankKeys(Bits (&keys)[kItems], int (&ranks)[kItems], Extractor extractor,
                  int (&prefixes)[BINS_TRACKED_PER_THREAD]) {
        RankKeys(keys, ranks, extractor);
        ranks_.read_bases(prefixes);
    }

  private:
    Ranks ranks_;
};

// Keys in a warp-striped arrangement. The callback gets the counts of the thread's digits. (CUB
// subtracts neighbouring prefixes for it, which are no counts in descending order. Measured on an
// H200; here they are the same.)
template <int kX, int kRadixBits, bool kDescending,
          BlockScanAlgorithm kScan = BLOCK_SCAN_WARP_SCANS, int kY = 1, int kZ = 1>
class BlockRadixRankMatch : public emulator::MatchRanks<kX * kY * kZ, kRadixBits, kDescending,
                                                        emulator::DigitCounts::differences> {
  public:
    using BlockRadixRankMatch::MatchRanks::MatchRanks;
};

// The same. CUB computes the counts earlier, so that other blocks wait less for them. It ranks in
// ascending order even if kDescending says otherwise (measured on an H200).
template <int kX, int kRadixBits, bool kDescending,
          BlockScanAlgorithm kScan = BLOCK_SCAN_WARP_SCANS,
          WarpMatchAlgorithm kMatch = WARP_MATCH_ANY, int kParts = 1>
struct BlockRadixRankMatchEarlyCounts
    : emulator::MatchRanks<kX, kRadixBits, false, emulator::DigitCounts::totals> {
    using BlockRadixRankMatchEarlyCounts::MatchRanks::MatchRanks;
};

}  // namespace cub
