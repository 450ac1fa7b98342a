// SPDX-License-Identifier: MIT
// The tasks of streams that have run, as far as a later one may be unordered with them.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/emulator/counting/places.hpp"
#include "common/emulator/counting/shadow.hpp"
#include "common/emulator/runtime/clock.hpp"
#include "common/emulator/runtime/queued_work.hpp"

namespace emulator::counting {

struct TaskRecord {
    std::uint64_t stream;
    std::uint64_t sequence;
    Clock before;
    Interval first;  // of those of its grids; a copy has none
    std::string kernel;  // empty: a copy or a set
    Rows written;
    Rows read;
    std::function<SourceLine()> find_line;  // where it was queued

    bool is_copy() const { return kernel.empty(); }
    std::string name() const;
};

class TaskOrder {
  public:
    // The task that runs from now on; it is the last one until the next begins.
    void begin(TaskRecord task);
    void forget_all();

    const TaskRecord& running() const { return tasks_.back(); }
    // Whether the running task is behind another one.
    bool is_behind(const TaskRecord& task) const {
        return running().before.last_of(task.stream) >= task.sequence;
    }
    // The first interval of a kernel that the running task is not behind.
    static constexpr Interval kNoInterval = ~Interval{0};
    Interval first_unordered() const { return first_unordered_; }
    // The kernel of an interval before the running task's; nullptr: ordered.
    const TaskRecord* unordered_kernel(Interval interval) const;
    // Copies that the running task is not behind.
    const std::vector<const TaskRecord*>& unordered_copies() const { return unordered_copies_; }

  private:
    std::deque<TaskRecord> tasks_;  // in the order in which they ran
    std::map<std::uint64_t, std::vector<const TaskRecord*>> of_stream_;
    Interval first_unordered_ = kNoInterval;
    std::vector<const TaskRecord*> unordered_copies_;
};

// Whether rows have bytes of a range.
bool touches(const Rows& rows, std::uintptr_t begin, std::size_t bytes);
bool touches(const Rows& rows, const Rows& other);

std::string name_of_stream(std::uint64_t stream);

}  // namespace emulator::counting
