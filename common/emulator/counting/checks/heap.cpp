// SPDX-License-Identifier: MIT
#include "common/emulator/counting/checks/heap.hpp"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/emulator/counting/checks/memory/unwritten_global.hpp"
#include "common/emulator/counting/checks/races/program.hpp"
#include "common/emulator/counting/output/findings.hpp"
#include "common/emulator/counting/output/phrases.hpp"
#include "common/emulator/counting/record/address.hpp"
#include "common/emulator/counting/record/paths.hpp"
#include "common/emulator/device/device_heap.hpp"
#include "common/emulator/engine/grid.hpp"
#include "common/emulator/process/errors.hpp"

namespace emulator::counting {
namespace {

// Where an allocation was made.
struct Origin {
    const void* code;
    std::uint16_t path;
    std::uint16_t thread;
    std::uint32_t kernel;
    std::int64_t block;
};

// Blocks that are not recorded may run on several workers.
struct HeapState {
    std::mutex mutex;
    std::unordered_map<const char*, Origin> origins;
    std::vector<std::string> kernels;
    std::vector<std::pair<std::uintptr_t, std::size_t>> released;
};

HeapState& heap_state() {
    static auto* heap = new HeapState;  // never destroyed: see findings.cpp
    return *heap;
}

std::uint32_t kernel_number(std::string name) {
    std::vector<std::string>& kernels = heap_state().kernels;
    const auto found = std::find(kernels.rbegin(), kernels.rend(), name);
    if (found != kernels.rend()) return static_cast<std::uint32_t>(kernels.rend() - found - 1);
    kernels.push_back(std::move(name));
    return static_cast<std::uint32_t>(kernels.size() - 1);
}

// All allocations of one place that are left.
struct Leak {
    Origin first;
    std::uint64_t count = 0;
    std::size_t bytes = 0;
};

void warn_of(const Leak& leak) {
    Finding finding;
    finding.kind = FindingKind::memory_leak;
    finding.kernel = heap_state().kernels[leak.first.kernel];
    finding.actors.push_back({leak.first.block, leak.first.thread,
                              find_line(leak.first.code, callers_of(leak.first.path)),
                              "allocates memory of the device heap"});
    finding.what = "which nobody frees: " + std::to_string(leak.count) +
                   (leak.count == 1 ? " allocation, " : " allocations, ") + in_bytes(leak.bytes);
    finding.advice = "free it in a kernel, before the program ends";
    finding.count = leak.count;
    report(std::move(finding));
}

}  // namespace

void note_heap_allocation(const Worker& worker, const Allocation& allocation, const void* code,
                          std::uint16_t path) {
    const std::lock_guard lock(heap_state().mutex);
    // Only after all addresses have been used once, others may have used these.
    program().global.forget(number_of(allocation.begin), allocation.bytes);
    forget_written(number_of(allocation.begin), allocation.bytes);
    auto& mutable_worker = const_cast<Worker&>(worker);
    heap_state().origins[allocation.begin] = {
        code, path, static_cast<std::uint16_t>(current_thread->linear_index),
        kernel_number(mutable_worker.grid().name()), worker.block()};
}

void note_heap_free(const Allocation& allocation) {
    const std::lock_guard lock(heap_state().mutex);
    heap_state().origins.erase(allocation.begin);
}

void report_wrong_free(Worker& worker, bool twice, const std::string& what, const void* code,
                       std::uint16_t path) {
    const std::lock_guard lock(heap_state().mutex);
    Finding finding;
    finding.kind = twice ? FindingKind::double_free : FindingKind::wrong_free;
    finding.kernel = worker.grid().name();
    finding.actors.push_back({worker.block(), current_thread->linear_index,
                              find_line(code, callers_of(path)), "frees " + what});
    finding.advice =
        twice ? "let one thread free it, once"
              : "pass the pointer that new, malloc() or cudaMalloc() returned in a kernel";
    report(std::move(finding));
}

void note_released_heap(const void* begin, std::size_t bytes) {
    const std::lock_guard lock(heap_state().mutex);
    heap_state().released.emplace_back(number_of(begin), bytes);
}

void forget_released_heap() {
    const std::lock_guard lock(heap_state().mutex);
    for (const auto& [begin, bytes] : std::exchange(heap_state().released, {})) {
        program().global.forget(begin, bytes);
        forget_written(begin, bytes);
    }
}

void warn_of_leaks() {
    if (sticky_error() != cudaSuccess) return;
    std::vector<Leak> leaks;
    for (const Allocation& allocation : heap_allocations()) {
        const auto found = heap_state().origins.find(allocation.begin);
        if (found == heap_state().origins.end()) continue;
        const Origin& origin = found->second;
        auto leak = std::find_if(leaks.begin(), leaks.end(), [&](const Leak& other) {
            return other.first.code == origin.code && other.first.path == origin.path &&
                   other.first.kernel == origin.kernel;
        });
        if (leak == leaks.end()) leak = leaks.insert(leak, {origin});
        ++leak->count;
        leak->bytes += allocation.bytes;
    }
    for (const Leak& leak : leaks) warn_of(leak);
}

}  // namespace emulator::counting
