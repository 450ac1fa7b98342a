// SPDX-License-Identifier: MIT
// Shared memory that a block reads before one of its threads wrote it.
#pragma once

#include <vector>

#include "common/emulator/counting/checks/memory/shadow.hpp"

namespace emulator::counting {

// Reads of unwritten shared memory since the block's last barrier. They wait for the next barrier,
// because another thread may write the word before it: that is a race, and is reported as a race.
class UnwrittenReads {
  public:
    // `first` is the block's first interval.
    void begin_block(Interval first) {
        first_ = first;
        reads_.clear();
    }
    // Whether the block has written one of the words. Not all need to be written, because a wide
    // access may read the gaps of a struct. A word counts as written if one of its bytes is.
    bool is_written(const Cell* cell, unsigned words) const;
    void note(const Cell* cell, unsigned words, int thread, std::uintptr_t address,
              const Request& request);
    void report_all(Worker& worker);

  private:
    struct Read {
        const Cell* cell;
        unsigned words;
        int thread;
        std::uintptr_t address;
        PlaceId place;
        Operation operation;
    };

    Interval first_ = 0;
    std::vector<Read> reads_;
};

}  // namespace emulator::counting
