// SPDX-License-Identifier: MIT
#include "common/emulator/counting/checks/races/tasks.hpp"

#include <algorithm>
#include <utility>

#include "common/emulator/runtime/stream.hpp"

namespace emulator::counting {
namespace {

std::uintptr_t begin_of(const Rows& rows) { return reinterpret_cast<std::uintptr_t>(rows.begin); }

}  // namespace

std::string TaskRecord::name() const {
    const std::string where = (place.graph != 0 ? " in " : " on ") + name_of(place);
    if (!library.empty()) return library + "()" + where;
    static constexpr const char* kKinds[] = {"kernel ", "a copy or set", "cudaMallocAsync()",
                                             "cudaFreeAsync()", "the host function"};
    return kKinds[static_cast<int>(kind)] + kernel + where;
}

void TaskOrder::begin(TaskRecord task) {
    tasks_.push_back(std::move(task));
    const TaskRecord& now = tasks_.back();
    first_unordered_ = kNoInterval;
    unordered_copies_.clear();
    for (const auto& [stream, records] : of_stream_) {
        // A task may have several records: its parts are ordered.
        const std::uint64_t own = stream == now.place.stream ? now.place.sequence : 0;
        const std::uint64_t last = std::max(now.before.last_of(stream), own);
        auto record = std::upper_bound(records.begin(), records.end(), last,
                                       [](std::uint64_t sequence, const TaskRecord* other) {
                                           return sequence < other->place.sequence;
                                       });
        for (; record != records.end(); ++record) {
            if ((*record)->is_copy()) {
                unordered_copies_.push_back(*record);
            } else {
                first_unordered_ = std::min(first_unordered_, (*record)->first);
            }
        }
    }
    of_stream_[now.place.stream].push_back(&now);
}

void TaskOrder::forget_all() {
    tasks_.clear();
    of_stream_.clear();
    first_unordered_ = kNoInterval;
    unordered_copies_.clear();
}

const TaskRecord* TaskOrder::unordered_kernel(Interval interval) const {
    auto next = std::upper_bound(
        tasks_.begin(), tasks_.end(), interval,
        [](Interval wanted, const TaskRecord& task) { return wanted < task.first; });
    // A copy has the same first interval as the next kernel.
    while (next != tasks_.begin() && std::prev(next)->is_copy()) --next;
    if (next == tasks_.begin()) return nullptr;
    const TaskRecord& task = *std::prev(next);
    return &task == &running() || is_after(task) ? nullptr : &task;
}

bool touches(const Rows& rows, std::uintptr_t begin, std::size_t bytes) {
    const std::uintptr_t first = begin_of(rows);
    const std::uintptr_t last = std::min(begin + bytes, first + rows.bytes());
    const std::uintptr_t from = std::max(begin, first);
    if (from >= last) return false;
    const std::size_t offset = (from - first) % rows.pitch;
    return offset < rows.width || from + (rows.pitch - offset) < last;
}

bool touches(const Rows& rows, const Rows& other) {
    for (std::size_t row = 0; row < rows.height; ++row) {
        if (touches(other, begin_of(rows) + row * rows.pitch, rows.width)) return true;
    }
    return false;
}

std::string name_of(const TaskPlace& place) {
    if (place.graph == 0) return name_of_stream(place.stream);
    return "node " + std::to_string(place.node) + " of graph " + std::to_string(place.graph);
}

std::string present_of(const TaskRecord& task, bool writes) {
    if (task.kind == WorkKind::allocation) return "allocates memory";
    if (task.kind == WorkKind::release) return "frees memory";
    return writes ? "writes memory" : "reads memory";
}

std::string past_of(const TaskRecord& task, bool writes) {
    if (task.kind == WorkKind::allocation) return "allocated";
    if (task.kind == WorkKind::release) return "freed";
    return writes ? "wrote" : "read";
}

}  // namespace emulator::counting
