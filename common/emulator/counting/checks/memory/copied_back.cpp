// SPDX-License-Identifier: MIT
#include "common/emulator/counting/checks/memory/copied_back.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "common/emulator/counting/checks/memory/allocations.hpp"
#include "common/emulator/counting/checks/memory/unwritten_global.hpp"
#include "common/emulator/counting/output/findings.hpp"
#include "common/emulator/counting/output/phrases.hpp"
#include "common/emulator/counting/record/callers.hpp"
#include "common/emulator/counting/record/record_hooks.hpp"
#include "common/emulator/device/memory.hpp"
#include "common/emulator/device/poison.hpp"
#include "common/emulator/device/unread_errors.hpp"

namespace emulator::counting {
namespace {

// Bytes of the host that nobody wrote on the device.
struct Stretch {
    std::uintptr_t end;
    std::uintptr_t source;  // of its first byte
    Allocation allocation;
    std::function<SourceLine()> copied_at;
};

// By their first byte. A program that copies more of them than this copies gaps.
using Stretches = std::map<std::uintptr_t, Stretch>;
constexpr std::size_t kMaxStretches = 4096;

Stretches& stretches() {
    static auto* all = new Stretches;  // never destroyed: see findings.cpp
    return *all;
}

// Numbers of allocations.
std::set<std::uint64_t>& reported() {
    static auto* all = new std::set<std::uint64_t>;
    return *all;
}

void note_doubtful() {
    const Stretches& all = stretches();
    doubtful_begin = all.empty() ? 0 : all.begin()->first;
    doubtful_bytes = all.empty() ? 0 : all.rbegin()->second.end - doubtful_begin;
}

// The first stretch that ends after the address.
Stretches::iterator stretch_after(std::uintptr_t address) {
    auto next = stretches().upper_bound(address);
    if (next != stretches().begin() && std::prev(next)->second.end > address) --next;
    return next;
}

void cut(std::uintptr_t begin, std::uintptr_t end) {
    Stretches& all = stretches();
    for (auto next = stretch_after(begin); next != all.end() && next->first < end;) {
        const auto [first, stretch] = *next;
        next = all.erase(next);
        if (first < begin)
            all[first] = {begin, stretch.source, stretch.allocation, stretch.copied_at};
        if (end < stretch.end) {
            Stretch rest = stretch;
            rest.source += end - first;
            all[end] = std::move(rest);
        }
    }
}

void add(std::uintptr_t begin, Stretch stretch) {
    if (stretches().size() < kMaxStretches) stretches()[begin] = std::move(stretch);
}

void forget(std::uint64_t allocation) {
    std::erase_if(stretches(),
                  [=](const auto& entry) { return entry.second.allocation.id == allocation; });
}

Finding describe_use(std::uintptr_t source, std::size_t bytes, const Stretch& stretch) {
    Finding finding;
    finding.kind = FindingKind::uninitialised_global;
    finding.actors.push_back({-1, 0, running_callers().line(), "reads " + in_bytes(bytes)});
    finding.what = "which were copied from device memory at " + stretch.copied_at().text() +
                   ", where nobody has written them: " +
                   describe_byte(stretch.allocation, reinterpret_cast<const void*>(source));
    finding.advice =
        "cudaMalloc() does not clear memory: let a kernel, cudaMemset() or a copy write it first";
    return finding;
}

std::vector<Finding>& waiting() {
    static auto* all = new std::vector<Finding>;
    return *all;
}

bool has_cause() { return has_errors() || some_error_is_unread(); }

}  // namespace

void note_copied_back(std::uintptr_t destination, std::uintptr_t source, std::size_t bytes,
                      const std::function<SourceLine()>& copied_at) {
    cut(destination, destination + bytes);
    Allocation allocation;
    if (!all_are_written(source, bytes) &&
        find_allocation(reinterpret_cast<const void*>(source), allocation) &&
        allocation.kind == MemoryKind::device && !reported().contains(allocation.id)) {
        for_unwritten(source, bytes, [&](std::uintptr_t begin, std::size_t count) {
            const std::uintptr_t first = destination + (begin - source);
            add(first, {first + count, begin, allocation, copied_at});
        });
    }
    note_doubtful();
}

void check_copied_back(std::uintptr_t address, std::size_t bytes, Operation operation, bool waits) {
    const auto found = stretch_after(address);
    if (found == stretches().end() || found->first >= address + bytes) return;
    const Stretch stretch = found->second;
    const std::uintptr_t source = stretch.source + (address - found->first);
    // A value of which some bytes were written may have gaps.
    const bool is_whole = found->first <= address && address + bytes <= stretch.end;
    if (operation == Operation::load && !is_whole) return;
    // Code that is not observed, of a library, may have written the memory.
    if (operation != Operation::load ||
        !is_poison(reinterpret_cast<const void*>(address), bytes, source)) {
        cut(address, address + bytes);
    } else {
        Finding finding = describe_use(source, bytes, stretch);
        if (waits) {
            waiting().push_back(std::move(finding));
        } else if (!has_cause()) {
            report(std::move(finding));
        }
        reported().insert(stretch.allocation.id);
        forget(stretch.allocation.id);
    }
    note_doubtful();
}

void report_waiting_copies() {
    for (Finding& finding : std::exchange(waiting(), {})) {
        if (!has_cause()) report(std::move(finding));
    }
}

void move_copied_back(std::uintptr_t destination, std::uintptr_t source, std::size_t bytes) {
    std::vector<std::pair<std::uintptr_t, Stretch>> moved;
    for (auto next = stretch_after(source);
         next != stretches().end() && next->first < source + bytes; ++next) {
        const std::uintptr_t begin = std::max(next->first, source);
        Stretch part = next->second;
        part.source += begin - next->first;
        part.end = destination + (std::min(part.end, source + bytes) - source);
        moved.emplace_back(destination + (begin - source), std::move(part));
    }
    cut(destination, destination + bytes);
    for (auto& [begin, part] : moved) add(begin, std::move(part));
    note_doubtful();
}

}  // namespace emulator::counting
