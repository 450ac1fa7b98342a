// SPDX-License-Identifier: MIT
// The asynchronous copies of a block that nobody has waited for yet. Until then nobody may touch
// what a copy writes, nor write what it reads.
#pragma once

#include <cstdint>
#include <vector>

#include "common/emulator/counting/checks/races/checked_block.hpp"
#include "common/emulator/counting/record/event.hpp"

namespace emulator::counting {

struct PendingCopy {
    std::uintptr_t destination;
    std::uintptr_t source;
    std::uint32_t bytes;
    std::uint32_t read_bytes;  // of the source
    CopySort sort;
    int thread;
    PlaceId place;
    std::uint64_t number;  // among the thread's copies of this sort, or the block's bulk loads
    Point issue;
    bool source_is_read = false;
    bool is_tracked = false;  // by an mbarrier
};

class InFlight {
  public:
    void begin_block();
    bool empty() const { return pending_.empty(); }
    const std::vector<PendingCopy>& pending() const { return pending_; }
    // The number of the thread's next copy of this sort.
    std::uint64_t next_number(int thread, CopySort sort);
    // That of its last one, of which this is a further part.
    std::uint64_t last_number(int thread, CopySort sort) const;
    void add(const PendingCopy& copy);
    // Takes out the copies that match, in the order of their issue.
    template <class Match>
    std::vector<PendingCopy> take(Match match);
    // The sources of the matching copies are read: they may be written again.
    template <class Match>
    std::vector<PendingCopy> end_reads(Match match);
    // Reports accesses that disturb a copy.
    void check(const CheckedBlock& block, int warp, const Request& request) const;

  private:
    // How many copies write or read one of the words that share a slot.
    struct Slot {
        std::uint16_t writes = 0;
        std::uint16_t reads = 0;
    };
    static constexpr std::size_t kSlots = 1u << 16;
    static std::size_t slot_of(std::uintptr_t address) {
        return (address >> 2 ^ address >> 18) % kSlots;
    }

    void count(std::uintptr_t begin, std::uint32_t bytes, bool writes, int difference);
    void count_reads(const PendingCopy& copy, int difference);
    bool may_disturb(std::uintptr_t address, unsigned bytes, bool writes) const;

    std::vector<PendingCopy> pending_;
    std::vector<Slot> slots_;
    struct Numbers {
        std::uint64_t of_sort[static_cast<unsigned>(CopySort::product) + 1];
    };
    std::vector<Numbers> numbers_;  // by thread
};

template <class Match>
std::vector<PendingCopy> InFlight::take(Match match) {
    std::vector<PendingCopy> taken;
    std::size_t kept = 0;
    for (PendingCopy& copy : pending_) {
        if (match(copy)) {
            count(copy.destination, copy.bytes, true, -1);
            if (!copy.source_is_read) count_reads(copy, -1);
            taken.push_back(copy);
        } else {
            pending_[kept++] = copy;
        }
    }
    pending_.resize(kept);
    return taken;
}

template <class Match>
std::vector<PendingCopy> InFlight::end_reads(Match match) {
    std::vector<PendingCopy> ended;
    for (PendingCopy& copy : pending_) {
        if (copy.source_is_read || !match(copy)) continue;
        copy.source_is_read = true;
        count_reads(copy, -1);
        ended.push_back(copy);
    }
    return ended;
}

// At the end of a block: reports copies that nobody waited for.
void report_never_awaited(const CheckedBlock& block, const InFlight& in_flight);

}  // namespace emulator::counting
