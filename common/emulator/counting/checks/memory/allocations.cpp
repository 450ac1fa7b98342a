// SPDX-License-Identifier: MIT
#include "common/emulator/counting/checks/memory/allocations.hpp"

#include <cstdint>
#include <unordered_map>

#include "common/emulator/counting/output/phrases.hpp"
#include "common/emulator/counting/record/callers.hpp"

namespace emulator::counting {
namespace {

// By the allocation's number. Those of the device heap have numbers of their own, and no call.
std::unordered_map<std::uint64_t, Callers>& callers_of_allocations() {
    static auto* callers = new std::unordered_map<std::uint64_t, Callers>;  // see findings.cpp
    return *callers;
}

}  // namespace

void note_allocation(const Allocation& allocation) {
    callers_of_allocations()[allocation.id] = running_callers();
}

void forget_allocation(const Allocation& allocation) {
    callers_of_allocations().erase(allocation.id);
}

std::string describe_byte(const Allocation& allocation, const void* address) {
    const bool on_heap = allocation.kind == MemoryKind::heap;
    std::string text =
        "byte " + std::to_string(static_cast<const char*>(address) - allocation.begin) +
        " of allocation " + std::to_string(allocation.id) +
        (on_heap ? " of the device heap (" : " (") + in_bytes(allocation.bytes) + ")";
    const auto callers = callers_of_allocations().find(allocation.id);
    if (on_heap || callers == callers_of_allocations().end()) return text;
    const SourceLine line = callers->second.line();
    return line.line == 0 ? text : text + ", allocated at " + line.text();
}

}  // namespace emulator::counting
