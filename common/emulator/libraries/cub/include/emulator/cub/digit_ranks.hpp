// SPDX-License-Identifier: MIT
// Ranks of digits in a tile: how many keys come before a key in a stable sort by one digit. Groups
// of threads count their own keys; then each thread adds the counts of its digits.
#pragma once

#include <emulator/cub/parts.hpp>

namespace emulator {

// counters[digit][group], then what follows from them for each digit.
template <class Counter, int kDigits, int kGroups>
struct DigitCounters {
    Counter counters[kDigits * kGroups];
    int totals[kDigits];
    int bases[kDigits];  // how many keys have a digit that comes before
};

template <class Block, int kDigits, int kGroups, bool kDescending, class Storage>
class DigitRanks {
  public:
    static constexpr int kBins = kDigits > Block::kCount
                                     ? (kDigits + Block::kCount - 1) / Block::kCount
                                     : 1;

    explicit DigitRanks(Storage& storage) : storage_(storage) {}

    auto& counter(std::uint32_t digit, int group) {
        return storage_.counters[static_cast<int>(digit) * kGroups + group];
    }

    void reset() {
        for (int i = Block::rank(); i < kDigits * kGroups; i += Block::kCount) {
            storage_.counters[i] = 0;
        }
        Block::synchronize();
    }

    // From each group's counts: how many keys of the groups before have the same digit, and the
    // totals. All threads have counted before, and may read afterwards.
    void add_groups() {
        using Counter = std::remove_reference_t<decltype(counter(0, 0))>;
        Block::synchronize();
        for (int digit = Block::rank(); digit < kDigits; digit += Block::kCount) {
            int total = 0;
            for (int group = 0; group < kGroups; ++group) {
                const int count = counter(digit, group);
                counter(digit, group) = static_cast<Counter>(total);
                total += count;
            }
            storage_.totals[digit] = total;
        }
        Block::synchronize();
        for (int digit = Block::rank(); digit < kDigits; digit += Block::kCount) {
            int base = 0;
            const int first = kDescending ? digit + 1 : 0;
            const int last = kDescending ? kDigits : digit;
            for (int other = first; other < last; ++other) base += storage_.totals[other];
            storage_.bases[digit] = base;
        }
        Block::synchronize();
    }

    // Adds the digit's base and the groups before to the ranks within a group.
    template <int kItems, class Digits>
    void complete(int (&ranks)[kItems], const Digits& digits, int group) {
        for (int i = 0; i < kItems; ++i) {
            ranks[i] += storage_.bases[digits[i]] + counter(digits[i], group);
        }
    }

    // Per thread: those of kBins neighbouring digits. Beyond the last digit the array stays.
    void read_bases(int (&prefixes)[kBins]) const { read(storage_.bases, prefixes); }
    void read_totals(int (&counts)[kBins]) const { read(storage_.totals, counts); }
    // `tile`: the number of keys.
    void read_differences(int (&counts)[kBins], int tile) const {
        for (int i = 0; i < kBins; ++i) {
            const int digit = Block::rank() * kBins + i;
            if (digit >= kDigits) continue;
            const int next = digit + 1 < kDigits ? storage_.bases[digit + 1] : tile;
            counts[i] = next - storage_.bases[digit];
        }
    }

  private:
    static void read(const int (&from)[kDigits], int (&to)[kBins]) {
        for (int i = 0; i < kBins; ++i) {
            const int digit = Block::rank() * kBins + i;
            if (digit < kDigits) to[i] = from[digit];
        }
    }

    Storage& storage_;
};

}  // namespace emulator
