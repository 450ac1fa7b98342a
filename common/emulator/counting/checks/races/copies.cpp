// SPDX-License-Identifier: MIT
#include "common/emulator/counting/checks/races/copies.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "common/emulator/counting/checks/races/race_reports.hpp"
#include "common/emulator/counting/output/counters.hpp"
#include "common/emulator/counting/output/phrases.hpp"

namespace emulator::counting {
namespace {

// What the running function of the host has used.
struct HostRange {
    std::uintptr_t begin;
    std::uintptr_t end;
    bool writes;
    const void* code;  // of the first access
};

std::vector<HostRange>& touched_by_host() {
    static auto* ranges = new std::vector<HostRange>;
    return *ranges;
}

void report_copy(const TaskRecord& earlier, SourceLine line, std::string did, bool writes) {
    const TaskRecord& copy = program().tasks.running();
    Finding finding;
    finding.actors = {actor_of(copy, copy.find_line(), present_of(copy, writes)),
                      actor_of(earlier, std::move(line), std::move(did))};
    describe_streams(earlier, copy, finding);
    report(std::move(finding));
}

// Checks a row that the running copy reads or writes against earlier kernels. True: a race was
// reported.
bool check_row_of_copy(std::uintptr_t begin, std::size_t bytes, bool writes) {
    const Program& all = program();
    const Shadow& shadow = all.global.covers(begin) ? all.global : all.data_now();
    if (!shadow.covers(begin)) return false;
    const auto conflicts = [&](const Access& access, std::uint32_t mask, PlaceId place,
                               const char* did) {
        if (access.interval < all.tasks.first_unordered() || (access.bytes() & mask) == 0) {
            return false;
        }
        const TaskRecord* const task = all.tasks.unordered_kernel(access.interval);
        if (task == nullptr) return false;
        report_copy(*task, line_of(place), did, writes);
        return true;
    };
    for (std::uintptr_t word = begin & ~std::uintptr_t{3}; word < begin + bytes; word += 4) {
        const Cell& cell = *shadow.cell(word);
        std::uint32_t mask = 0xf;
        if (word < begin) mask &= 0xfu << (begin - word);
        if (word + 4 > begin + bytes) mask &= 0xfu >> (word + 4 - begin - bytes);
        if (conflicts(cell.write, mask, cell.write_place,
                      cell.write.is_atomic() ? "updated" : "wrote") ||
            (writes && (conflicts(cell.read, mask, cell.read_place, "read") ||
                        conflicts(cell.other_read, mask, cell.other_place, "read")))) {
            return true;
        }
    }
    return false;
}

}  // namespace

bool report_unordered_release(Worker& worker, int thread, std::uintptr_t address,
                              Operation operation, const SourceLine& line) {
    if (!program().races_on) return false;
    for (const TaskRecord* copy : program().tasks.unordered_copies()) {
        if (copy->kind != WorkKind::release || !touches(copy->written, address, 1)) continue;
        Finding finding;
        finding.kernel = worker.grid().name();
        finding.actors = {{worker.block(), thread, line, present_of(operation, Space::global)},
                          actor_of(*copy, copy->find_line(), past_of(*copy, true))};
        describe_streams(*copy, program().tasks.running(), finding);
        report(std::move(finding));
        return true;
    }
    return false;
}

void begin_host_function() { touched_by_host().clear(); }

void note_host_function_access(std::uintptr_t address, std::size_t bytes, bool writes,
                               const void* code) {
    std::vector<HostRange>& ranges = touched_by_host();
    // A loop over an array is one range.
    for (auto range = ranges.rbegin(); range != ranges.rend() && range - ranges.rbegin() < 4;
         ++range) {
        if (range->writes != writes || address > range->end || address + bytes < range->begin) {
            continue;
        }
        range->begin = std::min(range->begin, address);
        range->end = std::max(range->end, address + bytes);
        return;
    }
    constexpr std::size_t kMostRanges = 4096;
    if (ranges.size() < kMostRanges) ranges.push_back({address, address + bytes, writes, code});
}

void end_host_function() {
    Program& all = program();
    const std::vector<HostRange> ranges = std::move(touched_by_host());
    touched_by_host().clear();
    for (const HostRange& range : ranges) {
        const Rows rows = {reinterpret_cast<const void*>(range.begin), range.end - range.begin,
                           range.end - range.begin, 1};
        all.tasks.begin({all.task_place, all.task_before, all.last_interval + 1,
                         WorkKind::host_function, "", "", range.writes ? rows : Rows{},
                         range.writes ? Rows{} : rows,
                         [code = range.code] { return find_line(code); }});
        check_copy();
    }
}

void check_copy() {
    const TaskOrder& tasks = program().tasks;
    const TaskRecord& copy = tasks.running();
    for (const TaskRecord* other : tasks.unordered_copies()) {
        if (touches(copy.written, other->written) || touches(copy.read, other->written)) {
            report_copy(*other, other->find_line(), past_of(*other, true),
                        touches(copy.written, other->written));
        } else if (touches(copy.written, other->read)) {
            report_copy(*other, other->find_line(), past_of(*other, false), true);
        }
    }
    if (tasks.first_unordered() == TaskOrder::kNoInterval) return;
    for (const Rows* rows : {&copy.written, &copy.read}) {
        for (std::size_t row = 0; row < rows->height; ++row) {
            const auto begin = reinterpret_cast<std::uintptr_t>(rows->begin) + row * rows->pitch;
            if (check_row_of_copy(begin, rows->width, rows == &copy.written)) break;
        }
    }
}

void check_against_copies(Worker& worker, int warp, const Request& request) {
    const TaskOrder& tasks = program().tasks;
    for (const TaskRecord* copy : tasks.unordered_copies()) {
        for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1) {
            const int lane = std::countr_zero(lanes);
            const std::uintptr_t address = request.address[lane];
            const bool wrote = touches(copy->written, address, request.bytes);
            const bool read =
                request.operation != Operation::load && touches(copy->read, address, request.bytes);
            if (!wrote && !read) continue;
            const std::uint64_t key = key_of_streams(request.place, 0, wrote);
            if (count_if_reported(key)) break;
            Finding finding;
            finding.kernel = worker.grid().name();
            finding.actors = {{worker.block(), warp * kWarpSize + lane, line_of(request.place),
                               present_of(request.operation, Space::global)},
                              actor_of(*copy, copy->find_line(), past_of(*copy, wrote))};
            describe_streams(*copy, tasks.running(), finding);
            report(key, std::move(finding));
            break;
        }
    }
}

}  // namespace emulator::counting
