// SPDX-License-Identifier: MIT
// The tasks of streams that have run. A later task may be unordered with them.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/emulator/counting/checks/memory/shadow.hpp"
#include "common/emulator/counting/record/source_lines.hpp"
#include "common/emulator/runtime/clock.hpp"
#include "common/emulator/runtime/queued_work.hpp"

namespace emulator::counting {

struct TaskRecord {
    TaskPlace place;
    Clock before;
    Interval first;  // of its grids; a copy has no interval
    WorkKind kind;
    std::string kernel;
    std::string library;  // the function of a library that queued it
    Rows written;
    Rows read;
    std::function<SourceLine()> find_line;  // where it was queued

    bool is_copy() const { return kind != WorkKind::kernel; }
    std::string name() const;  // "a copy or set on stream 1", "kernel add in node 2 of graph 1"
};

class TaskOrder {
  public:
    // The task that runs from now on.
    void begin(TaskRecord task);
    void forget_all();

    const TaskRecord& running() const { return tasks_.back(); }
    // Whether the running task is ordered after another one.
    bool is_after(const TaskRecord& task) const {
        return running().before.last_of(task.place.stream) >= task.place.sequence;
    }
    // The first interval of a kernel that is unordered with the running task.
    static constexpr Interval kNoInterval = ~Interval{0};
    Interval first_unordered() const { return first_unordered_; }
    // The kernel of an earlier interval; nullptr: it is ordered before the running task.
    const TaskRecord* unordered_kernel(Interval interval) const;
    // Copies that are unordered with the running task.
    const std::vector<const TaskRecord*>& unordered_copies() const { return unordered_copies_; }

  private:
    std::deque<TaskRecord> tasks_;  // in the order in which they ran
    std::map<std::uint64_t, std::vector<const TaskRecord*>> of_stream_;
    Interval first_unordered_ = kNoInterval;
    std::vector<const TaskRecord*> unordered_copies_;
};

// Whether some bytes of the rows lie in a range, or in other rows.
bool touches(const Rows& rows, std::uintptr_t begin, std::size_t bytes);
bool touches(const Rows& rows, const Rows& other);

// "stream 1", "node 2 of graph 1".
std::string name_of(const TaskPlace& place);
// What a task does to memory: "writes memory", "frees memory"; and what it did: "wrote".
std::string present_of(const TaskRecord& task, bool writes);
std::string past_of(const TaskRecord& task, bool writes);

}  // namespace emulator::counting
