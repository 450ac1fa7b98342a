// SPDX-License-Identifier: MIT
// CUB's BlockRunLengthDecode: the threads of a block have runs of equal items, and get windows of
// the decoded sequence.
#pragma once

#include "block_scan.cuh"

namespace cub {

// Runs of length 0 may only be the last ones.
template <class Item, int kX, int kRuns, int kDecoded, class Offset = std::uint32_t, int kY = 1,
          int kZ = 1>
class BlockRunLengthDecode {
    using Block = emulator::CubBlock<kX * kY * kZ>;
    using Scan = BlockScan<Offset, kX, BLOCK_SCAN_RAKING_MEMOIZE, kY, kZ>;
    static constexpr int kAllRuns = Block::kCount * kRuns;

  public:
    // The scan has ended with a barrier when the runs take its place.
    union TempStorage {
        typename Scan::TempStorage scan;
        struct {
            emulator::CubStorage<Item, kAllRuns> values;
            Offset offsets[kAllRuns];
        } runs;
    };

    // From the lengths of the runs. The storage is in use until the last RunLengthDecode().
    template <class Length, class Total>
    BlockRunLengthDecode(TempStorage& storage, Item (&values)[kRuns], Length (&lengths)[kRuns],
                         Total& total)
        : storage_(storage) {
        Offset offsets[kRuns];
        for (int i = 0; i < kRuns; ++i) offsets[i] = static_cast<Offset>(lengths[i]);
        Offset sum;
        Scan(storage_.scan).ExclusiveSum(offsets, offsets, sum);
        total = static_cast<Total>(sum);
        store(values, offsets);
    }
    // From the runs' offsets in the decoded sequence.
    template <class RunOffset>
    BlockRunLengthDecode(TempStorage& storage, Item (&values)[kRuns], RunOffset (&offsets)[kRuns])
        : storage_(storage) {
        store(values, offsets);
    }
    template <class Length, class Total>
    BlockRunLengthDecode(Item (&values)[kRuns], Length (&lengths)[kRuns], Total& total)
        : BlockRunLengthDecode(emulator::private_cub_storage<TempStorage>(), values, lengths,
                               total) {}
    template <class RunOffset>
    BlockRunLengthDecode(Item (&values)[kRuns], RunOffset (&offsets)[kRuns])
        : BlockRunLengthDecode(emulator::private_cub_storage<TempStorage>(), values, offsets) {}

    // The items [from + threadIdx.x * kDecoded, … + kDecoded) of the decoded sequence, and how far
    // each is from the begin of its run. Beyond the sequence the last run goes on.
    template <class Relative>
    void RunLengthDecode(Item (&items)[kDecoded], Relative (&offsets)[kDecoded], Offset from = 0) {
        Offset place = from + static_cast<Offset>(Block::rank() * kDecoded);
        int run = run_at(place);
        for (int i = 0; i < kDecoded; ++i, ++place) {
            while (run + 1 < kAllRuns && storage_.runs.offsets[run + 1] <= place) ++run;
            items[i] = storage_.runs.values[run];
            offsets[i] = static_cast<Relative>(place - storage_.runs.offsets[run]);
        }
    }
    void RunLengthDecode(Item (&items)[kDecoded], Offset from = 0) {
        Offset offsets[kDecoded];
        RunLengthDecode(items, offsets, from);
    }

  private:
    template <class RunOffset>
    void store(const Item (&values)[kRuns], const RunOffset (&offsets)[kRuns]) {
        for (int i = 0; i < kRuns; ++i) {
            const int run = Block::rank() * kRuns + i;
            storage_.runs.values[run] = values[i];
            storage_.runs.offsets[run] = static_cast<Offset>(offsets[i]);
        }
        __syncthreads();  // the decoding threads read runs of others
    }

    // The last run that begins at this place or before.
    int run_at(Offset place) const {
        int low = 0;
        int high = kAllRuns;
        while (high - low > 1) {
            const int middle = (low + high) / 2;
            (storage_.runs.offsets[middle] <= place ? low : high) = middle;
        }
        return low;
    }

    TempStorage& storage_;
};

}  // namespace cub
