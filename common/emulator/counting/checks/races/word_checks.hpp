// SPDX-License-Identifier: MIT
// The check of each word that a block's threads access: races, and unwritten shared memory.
#pragma once

#include <map>
#include <utility>

#include "common/emulator/counting/checks/memory/unwritten_shared.hpp"
#include "common/emulator/counting/checks/races/in_flight.hpp"
#include "common/emulator/counting/checks/races/race_reports.hpp"

namespace emulator::counting {

class WordChecks {
  public:
    void begin(Worker& worker);
    void check(int warp, const Request& request);
    // Before the block's next interval, and at its end: reports what had to wait.
    void finish_interval();

    // Whether no thread of the block has written this word of shared memory.
    bool is_unwritten(std::uintptr_t address) const;
    // A copy that was issued before has arrived, or has read its source, at this point of the
    // issuing thread. Later accesses must be ordered after that.
    void note_copy_written(const PendingCopy& copy, const Point& point, std::uint32_t flags = 0);
    void note_copy_read(const PendingCopy& copy, const Point& point, std::uint32_t flags = 0);
    // The source of a bulk store: reports a word that was written without a proxy fence since.
    void check_proxy_fence(const PendingCopy& copy);
    // Copies that are in flight at the end of the block arrive then.
    void finish_copies(const std::vector<PendingCopy>& copies);

    CheckedBlock block;

  private:
    // Copies of two of the block's numbers. The compiler then knows that a store into a cell cannot
    // change them.
    struct Bounds {
        Interval first_unordered;
        Interval others_end;
    };

    Cell* find_cell(std::uintptr_t address) const;
    const Shadow* find_shadow(Space space, std::uintptr_t address) const;
    // All earlier intervals are ordered before this block.
    template <Space kSpace>
    Interval first_unordered() const {
        return kSpace == Space::shared ? block.interval : block.first_of_grids;
    }
    template <Space kSpace>
    bool suspicious(const Access& access, const Access& now) const;
    template <Space kSpace, Operation kOperation>
    void check_lanes(int warp, const Request& request);
    template <Space kSpace>
    void check_loaded_row(const Shadow& shadow, int warp, const Request& request);
    template <Operation kOperation>
    static bool check_quickly(Cell& cell, const Access& now, std::uint16_t value, PlaceId place,
                              const Bounds& bounds);
    template <Space kSpace, Operation kOperation>
    void check_word(Cell& cell, const Access& now, std::uint16_t value, const Request& request);
    template <Space kSpace>
    void note_read(Cell& cell, const Access& now, PlaceId place) const;
    void check_conflict(const Cell& cell, const Access& earlier, PlaceId place, const Access& now,
                        const Request& request, Operation did, bool same_value);
    bool may_signal(const Access& earlier, const Access& now, Space space) const;
    void note_strong_accesses(int warp, const Request& request);
    void check_read_only(int warp, const Request& request) const;

    UnwrittenReads unwritten_;
    // Races of a plain read with an atomic operation, by the word and the thread that read. They
    // are no races if that thread makes an atomic operation too.
    std::map<std::pair<const Cell*, int>, Race> guesses_;
    Shadow static_shared_;
    Shadow dynamic_shared_;
};

}  // namespace emulator::counting
