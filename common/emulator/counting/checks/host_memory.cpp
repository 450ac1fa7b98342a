// SPDX-License-Identifier: MIT
#include "common/emulator/counting/checks/host_memory.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "common/emulator/counting/checks/memory/copied_back.hpp"
#include "common/emulator/counting/checks/memory/unwritten_global.hpp"
#include "common/emulator/counting/checks/races/copies.hpp"
#include "common/emulator/counting/checks/races/program.hpp"
#include "common/emulator/counting/output/counters.hpp"
#include "common/emulator/counting/output/findings.hpp"
#include "common/emulator/counting/output/phrases.hpp"
#include "common/emulator/counting/record/address.hpp"
#include "common/emulator/counting/record/callers.hpp"
#include "common/emulator/counting/record/record_hooks.hpp"
#include "common/emulator/device/memory.hpp"
#include "common/emulator/device/unread_errors.hpp"
#include "common/emulator/engine/grid.hpp"
#include "common/emulator/runtime/api_call.hpp"

namespace emulator::counting {

bool host_touched_words = false;

namespace {

struct Queued {
    QueuedWork work;
    Callers launched_at;
};

// How the host used a word while kernels were queued.
struct HostTouch {
    bool wrote;
    const void* code;
    std::uint64_t last_grid;  // the last one launched before it
    bool updated = false;  // by an atomic operation
    bool stored = false;  // by any other write
};

struct HostState {
    std::map<std::uint64_t, Queued> queued;
    std::uint64_t last_number = 0;
    std::vector<Callers> refused_at;
    int queued_kernels = 0;
    std::uint64_t last_grid = 0;
    std::unordered_map<std::uintptr_t, HostTouch> touched;
    Allocation last{};  // the one that the host used last
    std::uint64_t last_version = ~std::uint64_t{0};
};

HostState& host_state() {
    static auto* host = new HostState;  // never destroyed: static destructors may use memory
    return *host;
}

bool overlap(std::uintptr_t begin, std::size_t bytes, const Rows& rows) {
    return begin < number_of(rows.begin) + rows.bytes() && number_of(rows.begin) < begin + bytes;
}

void report_host(FindingKind kind, Operation operation, const void* code, std::string what,
                 std::string advice) {
    Finding finding;
    finding.kind = kind;
    finding.actors.push_back({-1, 0, find_line(code), present_of(operation) + " memory"});
    finding.what = std::move(what);
    finding.advice = std::move(advice);
    report(std::move(finding));
}

// The program did not wait for queued copies. For queued kernels, only their run will show which
// memory they use: the words that the host uses are kept until then.
void check_queued_work(std::uintptr_t address, std::size_t bytes, Operation operation,
                       const void* code) {
    HostState& host = host_state();
    constexpr const char* kAdvice =
        "wait for the stream first: cudaStreamSynchronize() or cudaDeviceSynchronize()";
    for (const auto& [key, queued] : host.queued) {
        const QueuedWork& work = queued.work;
        if (work.kind != WorkKind::copy) continue;
        const bool writes = overlap(address, bytes, work.written);
        const bool reads = operation != Operation::load && overlap(address, bytes, work.read);
        if (!writes && !reads) continue;
        report_host(FindingKind::missing_synchronisation, operation, code,
                    "which " + (work.library.empty() ? "a copy or set" : work.library + "()") +
                        " queued at " + queued.launched_at.line().text() + " has yet to " +
                        (writes ? "write" : "read"),
                    kAdvice);
        return;
    }
    constexpr std::size_t kMaxTouched = std::size_t{1} << 18;
    if (host.queued_kernels == 0 || host.touched.size() > kMaxTouched) return;
    host_touched_words = true;
    for (std::uintptr_t word = address >> 2; word <= (address + bytes - 1) >> 2; ++word) {
        HostTouch& touch =
            host.touched.try_emplace(word, HostTouch{false, code, host.last_grid}).first->second;
        if (operation != Operation::load && !touch.wrote) touch = {true, code, host.last_grid};
        touch.updated |= operation == Operation::atomic;
        touch.stored |= operation == Operation::store;
    }
}

void check_host_range(std::uintptr_t address, std::size_t bytes, Operation operation,
                      const void* code) {
    HostState& host = host_state();
    const std::lock_guard lock(runtime_mutex());
    if (host.last_version != memory_map_version ||
        address - number_of(host.last.begin) >= host.last.bytes) {
        if (!find_allocation(reinterpret_cast<const void*>(address), host.last)) {
            host.last_version = ~std::uint64_t{0};
            const std::string what = describe_address(reinterpret_cast<const void*>(address));
            const bool freed = what.ends_with("freed");
            return report_host(
                freed ? FindingKind::use_after_free : FindingKind::out_of_bounds, operation, code,
                what, freed ? "free it after its last use" : "check the index against the size");
        }
        host.last_version = memory_map_version;
    }
    if (host.last.kind == MemoryKind::device || host.last.kind == MemoryKind::heap) {
        return report_host(
            FindingKind::device_pointer_on_host, operation, code,
            "which is device memory: " + describe_address(reinterpret_cast<const void*>(address)),
            "copy it with cudaMemcpy(), or use cudaMallocManaged()");
    }
    if (in_host_function) {
        const bool writes = operation != Operation::load;
        if (program().races_on) note_host_function_access(address, bytes, writes, code);
        return;
    }
    if (!host.queued.empty()) check_queued_work(address, bytes, operation, code);
}

void check_arena(std::uintptr_t address, std::size_t bytes, Operation operation, const void* code) {
    if (!in_arena(address)) return;
    if (host_uses_device_memory) {
        if (operation != Operation::load) note_written(address, bytes, 0);
        return;
    }
    check_host_range(address, bytes, operation, code);
}

}  // namespace

void report_heap_on_host(const char* function, const void* pointer, bool frees) {
    Finding finding;
    finding.kind = frees ? FindingKind::wrong_free : FindingKind::device_pointer_on_host;
    finding.actors.push_back(
        {-1, 0, running_callers().line(), std::string("passes a pointer to ") + function + "()"});
    finding.what = "which lies " + describe_address(pointer);
    finding.advice = frees ? "only device code frees what device code has allocated"
                           : "let a kernel copy it to memory from the host's cudaMalloc()";
    report(std::move(finding));
}

std::uint64_t note_refused_launch() {
    host_state().refused_at.push_back(running_callers());
    return host_state().refused_at.size() - 1;
}

std::uint64_t note_queued_work(const QueuedWork& work) {
    HostState& host = host_state();
    Queued& entry = host.queued[++host.last_number];
    entry.work = work;
    if (work.caller != nullptr) {
        entry.launched_at = *static_cast<const Callers*>(work.caller.get());
    } else {
        entry.launched_at = running_callers();
    }
    if (work.grid != 0) {
        ++host.queued_kernels;
        host.last_grid = std::max(host.last_grid, work.grid);
    }
    return host.last_number;
}

void note_ended_work(std::uint64_t number) {
    HostState& host = host_state();
    const auto found = host.queued.find(number);
    if (found == host.queued.end()) return;
    if (found->second.work.grid != 0 && --host.queued_kernels == 0) {
        host.touched.clear();
        host_touched_words = false;
    }
    host.queued.erase(found);
}

const QueuedWork& queued_work(std::uint64_t number) {
    static const QueuedWork kForgotten;  // the program ended without waiting
    const auto found = host_state().queued.find(number);
    return found == host_state().queued.end() ? kForgotten : found->second.work;
}

std::function<SourceLine()> line_finder(std::uint64_t number) {
    return [callers = host_state().queued.at(number).launched_at] { return callers.line(); };
}

std::uint64_t last_queued_work() { return host_state().last_number; }

std::optional<std::uint64_t> first_queued_kernel(std::uint64_t after) {
    const auto& queued = host_state().queued;
    const auto found = std::find_if(queued.upper_bound(after), queued.end(),
                                    [](const auto& entry) { return entry.second.work.grid != 0; });
    if (found == queued.end()) return {};
    return found->first;
}

void check_host_access(std::uintptr_t address, std::size_t bytes, Operation operation,
                       const void* code) {
    if (api_calls > 0 && !in_host_function) return;
    if (doubtful_bytes > 0) {
        const std::lock_guard lock(runtime_mutex());
        check_copied_back(address, bytes, operation, host_state().queued_kernels > 0);
    }
    check_arena(address, bytes, operation, code);
}

void check_host_copy(std::uintptr_t destination, std::uintptr_t source, std::size_t bytes,
                     const void* code) {
    if (api_calls > 0 && !in_host_function) return;
    if (doubtful_bytes > 0) {
        const std::lock_guard lock(runtime_mutex());
        move_copied_back(destination, source, bytes);
    }
    check_arena(source, bytes, Operation::load, code);
    check_arena(destination, bytes, Operation::store, code);
}

void check_kernel_against_host(Worker& worker, int warp, const Request& request) {
    HostState& host = host_state();
    const std::uint64_t grid = worker.grid().serial;
    for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1) {
        const int lane = std::countr_zero(lanes);
        const auto found = host.touched.find(request.address[lane] >> 2);
        if (found == host.touched.end()) continue;
        const HostTouch& touch = found->second;
        if (grid > touch.last_grid || (request.operation == Operation::load && !touch.wrote)) {
            continue;
        }
        // A kernel that polls a flag is meant to see what the host writes meanwhile.
        if (request.operation == Operation::load && request.is_volatile) continue;
        // Both sides update the word with atomic operations: atomicAdd_system().
        if (request.operation == Operation::atomic && touch.updated && !touch.stored) continue;
        Finding finding;
        finding.kind = FindingKind::missing_synchronisation;
        finding.kernel = worker.grid().name();
        finding.actors.push_back(
            {-1, 0, find_line(touch.code), touch.wrote ? "writes memory" : "reads memory"});
        finding.actors.push_back({worker.block(), warp * kWarpSize + lane, line_of(request.place),
                                  present_of(request.operation)});
        finding.what = "without waiting for the kernel";
        finding.advice = "call cudaDeviceSynchronize() before the host uses it";
        report(std::move(finding));
        return;
    }
}

void report_unfinished_kernels() {
    HostState& host = host_state();
    if (sticky_error() != cudaSuccess) return;
    for (const auto& [key, queued] : host.queued) {
        const QueuedWork& work = queued.work;
        if (work.grid == 0) continue;
        Finding finding;
        finding.kind = FindingKind::never_synchronised;
        finding.kernel = work.kernel;
        finding.actors.push_back({-1, 0, queued.launched_at.line(), "launches it"});
        finding.what = "and ends without waiting: the kernel has not run";
        finding.advice = "call cudaDeviceSynchronize(), and check its result";
        report(std::move(finding));
    }
    host.queued.clear();
}

void report_unread_errors() {
    for (const UnreadError& error : take_unread_errors()) {
        // What ended the kernel has been reported.
        if (error.ended_a_kernel && has_errors()) continue;
        Finding finding;
        finding.count = error.count;
        if (!error.call.empty()) {
            finding.kind = FindingKind::unread_error;
            finding.actors.push_back(
                {-1, 0, SourceLine{error.file, error.line}, "calls " + error.call + "()"});
            finding.what = "which fails: " + error.reason;
            finding.advice = "nobody reads the error: check what the call returns";
        } else {
            finding.kind = FindingKind::launch_refused;
            finding.kernel = error.kernel;
            const bool by_host = error.block < 0;
            finding.actors.push_back(
                {error.block, error.thread,
                 by_host ? host_state().refused_at.at(error.place).line() : SourceLine{},
                 "launches it"});
            finding.what = "but it did not run: " + error.reason;
            finding.advice = "nobody read the error: call cudaGetLastError() after the launch";
        }
        report(std::move(finding));
    }
}

}  // namespace emulator::counting
