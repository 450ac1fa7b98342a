// SPDX-License-Identifier: MIT
#include "common/emulator/counting/checks/memory/memory_map.hpp"

#include <malloc.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "common/emulator/counting/checks/memory/forbidden.hpp"
#include "common/emulator/counting/output/findings.hpp"
#include "common/emulator/counting/output/phrases.hpp"
#include "common/emulator/counting/record/address.hpp"
#include "common/emulator/device/device_heap.hpp"
#include "common/emulator/device/memory.hpp"
#include "common/emulator/device/peer_access.hpp"
#include "common/emulator/device/properties/properties.hpp"
#include "common/emulator/engine/grid.hpp"
#include "common/emulator/process/executable.hpp"

namespace emulator::counting {
namespace {

// g++ places a function's variables from the last to the first, so that a __shared__ variable's
// redzone lies before it. This redzone follows the last variable of all: the linker puts a
// library's section after those of the program's own files.
[[maybe_unused]] constinit thread_local
    __attribute__((used, aligned(128), abi_tag("redzone"),
                   section("emulator_shared.end"))) char end_of_shared[512] = {};

// Whether a range of launch parameters was returned. After the launch other data may lie there.
bool gave_parameters = false;

bool contains(std::uintptr_t begin, std::size_t bytes, std::uintptr_t address) {
    return address - begin < bytes;
}

// The shared memory of the block that the calling OS thread runs.
const SharedRange& thread_block() {
    thread_local const SharedRange block = thread_local_block();
    return block;
}

// The last variable that begins at the address or before it; nullptr: none.
const Variable* variable_before(const std::vector<Variable>& variables, std::uintptr_t address) {
    const auto next = std::upper_bound(
        variables.begin(), variables.end(), address,
        [](std::uintptr_t value, const Variable& variable) { return value < variable.address; });
    return next == variables.begin() ? nullptr : &*std::prev(next);
}

const Variable* variable_at(const std::vector<Variable>& variables, std::uintptr_t address) {
    const Variable* before = variable_before(variables, address);
    return before != nullptr && contains(before->address, before->bytes, address) ? before
                                                                                  : nullptr;
}

// What device code reads of the running thread (thread.hpp).
bool is_built_in(const Variable& variable) {
    static constexpr std::array<std::string_view, 5> kNames = {"threadIdx", "blockIdx", "blockDim",
                                                               "gridDim", "current_thread"};
    return std::find(kNames.begin(), kNames.end(), variable.name) != kNames.end();
}

Range find_static_shared(std::uintptr_t address) {
    const std::uintptr_t base = number_of(thread_block().begin);
    const std::vector<Variable>& shared = shared_variables();
    if (const Variable* variable = variable_at(shared, address - base)) {
        return {base + variable->address, variable->bytes, Space::shared, false};
    }
    // All other thread-local variables are the engine's: only a wrong index leads there.
    const Variable* other = variable_at(thread_variables(), address - base);
    if (other != nullptr && is_built_in(*other)) {
        return {base + other->address, other->bytes, Space::global, true};
    }
    // In a file without symbols only the sections are known.
    for (const SharedRange& section : static_shared_ranges()) {
        if (shared.empty() && contains(number_of(section.begin), section.bytes, address)) {
            return {number_of(section.begin), section.bytes, Space::shared, false};
        }
    }
    return {address, 0};
}

const Section* find_section(std::uintptr_t address) {
    for (const Section& section : data_sections()) {
        if (contains(section.begin, section.bytes, address)) return &section;
    }
    return nullptr;
}

Range find_data(std::uintptr_t address) {
    const Section* section = find_section(address);
    if (section == nullptr) return {address, 0};
    const auto range = [&](std::uintptr_t begin, std::uintptr_t end, bool constant) {
        return Range{begin, end - begin, constant ? Space::constant : Space::global, false};
    };
    const std::vector<Variable>& variables = data_variables();
    const Variable* before = variable_before(variables, address);
    const Variable* after = before != nullptr ? before + 1 : variables.data();
    std::uintptr_t begin = section->begin;
    std::uintptr_t end = section->begin + section->bytes;
    if (before != nullptr && before->address >= section->begin) {
        begin = before->address + before->bytes;
        if (address < begin) {
            return range(before->address, begin, !section->writable || before->constant);
        }
        // Variables have names. Data without a name, for example a literal, is constant.
        if (section->writable) return {address, 0};
    }
    if (after != variables.data() + variables.size()) end = std::min(end, after->address);
    return range(begin, end, !section->writable);
}

// Memory in which the engine keeps data of a running kernel.
Range find_engine_memory(const Worker& worker, std::uintptr_t address) {
    const auto ignored = [](std::uintptr_t begin, std::size_t bytes) {
        return Range{begin, bytes, Space::global, true};
    };
    if (contains(number_of(&worker), sizeof worker, address)) {
        return ignored(number_of(&worker), sizeof worker);
    }
    auto& mutable_worker = const_cast<Worker&>(worker);
    const auto threads = mutable_worker.threads();
    if (contains(number_of(threads.data()), threads.size_bytes(), address)) {
        return ignored(number_of(threads.data()), threads.size_bytes());
    }
    const KernelCall* const call = mutable_worker.grid().call.get();
    if (const std::size_t bytes = ::malloc_usable_size(const_cast<KernelCall*>(call));
        contains(number_of(call), bytes, address)) {
        gave_parameters = true;
        return ignored(number_of(call), bytes);
    }
    return {address, 0};
}

// Whether the address lies where dynamic shared memory may lie, or just after it.
bool is_near_dynamic_shared(const Worker& worker, std::uintptr_t address) {
    const std::uintptr_t end = number_of(worker.dynamic_shared()) + worker.dynamic_shared_bytes();
    return worker.dynamic_shared_bytes() > 0 &&
           address - end + kMaxDynamicSharedBytes < kMaxDynamicSharedBytes + 4096;
}

// Whether the address lies in the executable's thread-local memory, or just beside it.
bool is_near_static_shared(std::uintptr_t address) {
    constexpr std::uintptr_t kAround = 2048;
    const SharedRange& block = thread_block();
    return !shared_variables().empty() &&
           contains(number_of(block.begin) - kAround, block.bytes + 2 * kAround, address);
}

std::string describe_past_end(const Variable& variable, std::uintptr_t address) {
    return in_bytes(address - variable.address - variable.bytes) + " past the end of " +
           variable.name + " (" + in_bytes(variable.bytes) + ")";
}

// "4 bytes past the end of s_tile (1024 bytes)", or before the next variable if that is nearer.
std::string describe_gap(std::uintptr_t offset) {
    const std::vector<Variable>& shared = shared_variables();
    const Variable* before = variable_before(shared, offset);
    const Variable* after = before == nullptr ? shared.data() : before + 1;
    if (after == shared.data() + shared.size()) after = nullptr;
    const bool is_before =
        before == nullptr ||
        (after != nullptr && after->address - offset < offset - before->address - before->bytes);
    if (!is_before) return describe_past_end(*before, offset);
    if (after == nullptr) return "outside of all shared memory";
    return in_bytes(after->address - offset) + " before " + after->name + " (" +
           in_bytes(after->bytes) + ")";
}

std::string describe_dynamic_gap(const Worker& worker, std::uintptr_t address) {
    const std::uintptr_t begin = number_of(worker.dynamic_shared());
    const std::uintptr_t end = begin + worker.dynamic_shared_bytes();
    const std::string distance = address < begin ? in_bytes(begin - address) + " before"
                                                 : in_bytes(address - end) + " past the end of";
    return distance + " the block's " + in_bytes(worker.dynamic_shared_bytes()) +
           " of dynamic shared memory";
}

struct Outside {
    FindingKind kind;
    std::string what;
    std::string advice;
};

constexpr const char* kCheckIndex = "check the index against the size";

// `what` begins with the distance in bytes.
const char* advice_for_distance(const std::string& what) {
    constexpr std::uint64_t kFar = std::uint64_t{1} << 30;
    if (std::strtoull(what.c_str(), nullptr, 10) < kFar) return kCheckIndex;
    return "check the index against the size: a 32-bit overflow? Compute large indices in 64 bits, "
           "as size_t or long long";
}

Outside classify(const Worker& worker, std::uintptr_t address) {
    Allocation allocation;
    if (find_allocation(reinterpret_cast<const void*>(address), allocation)) {
        const int device = const_cast<Worker&>(worker).grid().device;
        return {FindingKind::no_peer_access,
                describe_address(reinterpret_cast<const void*>(address)),
                advice_for_access(device, allocation)};
    }
    if (contains(arena_begin - kArenaMargin, kArenaMargin + arena_bytes, address)) {
        const std::string what = describe_address(reinterpret_cast<const void*>(address));
        if (what.ends_with("freed")) {
            return {FindingKind::use_after_free, what,
                    is_heap_address(reinterpret_cast<const void*>(address))
                        ? "free it after its last use"
                        : "free it after the last kernel that uses it"};
        }
        return {FindingKind::out_of_bounds, what, advice_for_distance(what)};
    }
    if (is_near_static_shared(address)) {
        return {FindingKind::out_of_bounds, describe_gap(address - number_of(thread_block().begin)),
                kCheckIndex};
    }
    if (is_near_dynamic_shared(worker, address)) {
        return {FindingKind::out_of_bounds, describe_dynamic_gap(worker, address),
                "check the index, and the third argument of the launch"};
    }
    const Section* section = find_section(address);
    if (const Variable* before = variable_before(data_variables(), address);
        section != nullptr && before != nullptr && before->address >= section->begin) {
        return {FindingKind::out_of_bounds, describe_past_end(*before, address), kCheckIndex};
    }
    constexpr std::uintptr_t kFirstPage = 4096;
    if (address < kFirstPage) {
        return {FindingKind::out_of_bounds, "at a null pointer",
                heap_was_full() ? "the device heap was full, and malloc() returned a null pointer: "
                                  "test for that; cudaDeviceSetLimit(cudaLimitMallocHeapSize, "
                                  "bytes) makes the heap larger"
                                : "pass memory from cudaMalloc() to the kernel"};
    }
    return {FindingKind::host_pointer, "at an address of the host's memory",
            "copy the data to memory from cudaMalloc(), or allocate it with cudaMallocManaged()"};
}

// The first byte of the access that lies in no range.
std::uintptr_t first_outside(const Worker& worker, std::uintptr_t address, unsigned size) {
    for (unsigned i = 0; i < size; ++i) {
        const Range range = find_range(worker, address + i);
        if (range.bytes == 0 || range.ignored) return address + i;
    }
    return address + size;
}

}  // namespace

Range find_range(const Worker& worker, std::uintptr_t address) {
    Allocation allocation;
    if (find_allocation(reinterpret_cast<const void*>(address), allocation)) {
        if (!can_reach(const_cast<Worker&>(worker).grid().device, allocation)) return {address, 0};
        return {number_of(allocation.begin), allocation.bytes, Space::global, false};
    }
    if (contains(arena_begin, arena_bytes, address)) return {address, 0};
    const SharedRange& block = thread_block();
    if (contains(number_of(block.begin), block.bytes, address)) return find_static_shared(address);
    const std::uintptr_t dynamic = number_of(worker.dynamic_shared());
    if (contains(dynamic, worker.dynamic_shared_bytes(), address)) {
        return {dynamic, worker.dynamic_shared_bytes(), Space::shared, false};
    }
    if (is_near_dynamic_shared(worker, address)) return {address, 0};
    if (const Range data = find_data(address); data.bytes > 0) return data;
    return find_engine_memory(worker, address);
}

void report_outside(Worker& worker, int thread, std::uintptr_t address, unsigned size,
                    Operation operation, SourceLine line, bool waits) {
    const std::uintptr_t outside_byte = first_outside(worker, address, size);
    if (report_race_with_release != nullptr &&
        report_race_with_release(worker, thread, outside_byte, operation, line)) {
        return;
    }
    Outside outside = classify(worker, outside_byte);
    Finding finding;
    finding.kind = outside.kind;
    finding.kernel = worker.grid().name();
    finding.actors.push_back(
        {worker.block(), thread, std::move(line), present_of(operation) + " " + in_bytes(size)});
    finding.what = std::move(outside.what);
    finding.advice = outside.advice;
    if (waits) return report_later(std::move(finding));
    report(std::move(finding));
}

std::string describe_shared(const Worker& worker, std::uintptr_t address) {
    const std::uintptr_t offset = address - number_of(thread_block().begin);
    if (const Variable* variable = variable_at(shared_variables(), offset)) {
        return "byte " + std::to_string(offset - variable->address) + " of " + variable->name;
    }
    return "byte " + std::to_string(address - number_of(worker.dynamic_shared())) +
           " of the dynamic shared memory";
}

void enter_block(const Worker& worker) {
    static const Worker* last_worker = nullptr;
    static const void* last_shared = nullptr;
    static std::size_t last_bytes = 0;
    static std::uint64_t last_grid = 0;
    auto& mutable_worker = const_cast<Worker&>(worker);
    const std::uint64_t grid = mutable_worker.grid().serial;
    static int last_device = 0;
    const int device = mutable_worker.grid().device;
    const bool same_memory = device == last_device && &worker == last_worker &&
                             worker.dynamic_shared() == last_shared &&
                             worker.dynamic_shared_bytes() == last_bytes;
    if (same_memory && !(gave_parameters && grid != last_grid)) return;
    ++memory_map_version;
    gave_parameters = false;
    last_worker = &worker;
    last_shared = worker.dynamic_shared();
    last_bytes = worker.dynamic_shared_bytes();
    last_grid = grid;
    last_device = device;
}

Range locate(std::uintptr_t address, unsigned size, Operation operation, const void* code) {
    Worker& worker = *worker_of_running_block();
    const Range range = find_range(worker, address);
    // The built-in variables are never written.
    const bool spoils_engine =
        range.ignored && operation != Operation::load &&
        contains(number_of(thread_block().begin), thread_block().bytes, address);
    if (range.holds(address, size) && !spoils_engine) {
        if (range.space == Space::constant && operation != Operation::load) {
            report_constant_write(worker, range, size, operation, code);
        }
        return range;
    }
    // Data that the standard library keeps for a launch by device code.
    if (range.bytes == 0 && classify(worker, address).kind == FindingKind::host_pointer &&
        !in_program_function(code)) {
        return {address, size, Space::global, true};
    }
    const bool waits = must_wait(worker);
    report_outside(worker, current_thread->linear_index, address, size, operation, find_line(code),
                   waits);
    end_block(worker, waits);
}

}  // namespace emulator::counting
