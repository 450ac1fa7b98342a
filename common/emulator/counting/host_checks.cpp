// SPDX-License-Identifier: MIT
#include "common/emulator/counting/host_checks.hpp"

#include <unwind.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "common/emulator/counting/checks.hpp"
#include "common/emulator/counting/findings.hpp"
#include "common/emulator/counting/memory_map.hpp"
#include "common/emulator/counting/places.hpp"
#include "common/emulator/counting/recorder.hpp"
#include "common/emulator/device/memory.hpp"
#include "common/emulator/engine/grid.hpp"
#include "common/emulator/engine/hooks.hpp"
#include "common/emulator/runtime/api_call.hpp"
#include "common/emulator/runtime/queued_work.hpp"

namespace emulator::counting {

bool host_touched_words = false;

namespace {

constexpr std::size_t kMaxFrames = 16;

struct Frames {
    std::array<const void*, kMaxFrames> code{};
    std::size_t count = 0;
};

struct Queued {
    QueuedWork work;
    Frames launched_at;
};

// What the host did with a word while kernels were queued.
struct HostTouch {
    bool wrote;
    const void* code;
    std::uint64_t last_grid;  // launched before it
};

struct HostState {
    std::map<std::uint64_t, Queued> queued;
    std::uint64_t last_number = 0;
    int queued_kernels = 0;
    std::uint64_t last_grid = 0;
    std::unordered_map<std::uintptr_t, HostTouch> touched;
    Allocation last{};  // that the host used
    std::uint64_t last_version = ~std::uint64_t{0};
};

HostState& state() {
    static auto* host = new HostState;  // as the memory table
    return *host;
}

std::uintptr_t number(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

_Unwind_Reason_Code take_frame(_Unwind_Context* context, void* result) {
    auto& frames = *static_cast<Frames*>(result);
    if (frames.count == kMaxFrames) return _URC_END_OF_STACK;
    frames.code[frames.count++] = reinterpret_cast<const void*>(_Unwind_GetIP(context));
    return _URC_NO_REASON;
}

// The innermost call in the program's own code; it may be inlined with the engine's headers.
SourceLine find_caller(const Frames& frames) {
    if (frames.count == 0) return {};
    const auto first = frames.code.begin();
    return find_line(*first, std::vector<const void*>(first + 1, first + frames.count));
}

std::uint64_t on_work_queued(const QueuedWork& work) {
    HostState& host = state();
    Queued& entry = host.queued[++host.last_number];
    entry.work = work;
    _Unwind_Backtrace(take_frame, &entry.launched_at);
    if (work.grid != 0) {
        ++host.queued_kernels;
        host.last_grid = std::max(host.last_grid, work.grid);
    }
    return host.last_number;
}

void on_work_ended(std::uint64_t ended) {
    HostState& host = state();
    const auto found = host.queued.find(ended);
    if (found == host.queued.end()) return;
    if (found->second.work.grid != 0 && --host.queued_kernels == 0) {
        host.touched.clear();
        host_touched_words = false;
    }
    host.queued.erase(found);
}

void on_work_begun(std::uint64_t begun) {
    const Queued& queued = state().queued.at(begun);
    begin_work_checks(queued.work, [frames = queued.launched_at] { return find_caller(frames); });
}

void on_memory_allocated() { ++memory_map_version; }

void on_memory_freed(const Allocation& allocation) {
    ++memory_map_version;
    forget_memory(number(allocation.begin), allocation.bytes);
}

void on_memory_written(const void* begin, std::size_t bytes, const void* source) {
    note_written(number(begin), bytes, number(source));
}

void on_time_is_up() { time_is_up = 1; }

bool overlap(std::uintptr_t begin, std::size_t bytes, const Rows& rows) {
    return begin < number(rows.begin) + rows.bytes() && number(rows.begin) < begin + bytes;
}

std::string verb(Operation operation) { return operation == Operation::load ? "reads" : "writes"; }

void report_host(FindingKind kind, Operation operation, const void* code, std::string what,
                 std::string advice) {
    Finding finding;
    finding.kind = kind;
    finding.actors.push_back({-1, 0, find_line(code), verb(operation) + " memory"});
    finding.what = std::move(what);
    finding.advice = std::move(advice);
    report(std::move(finding));
}

// Where the program did not wait for queued copies, or for kernels of which only their run will
// show what they use.
void check_queued_work(std::uintptr_t address, std::size_t bytes, Operation operation,
                       const void* code) {
    HostState& host = state();
    constexpr const char* kAdvice =
        "wait for the stream first: cudaStreamSynchronize() or cudaDeviceSynchronize()";
    for (const auto& [key, queued] : host.queued) {
        const QueuedWork& work = queued.work;
        const bool writes = overlap(address, bytes, work.written);
        const bool reads = operation != Operation::load && overlap(address, bytes, work.read);
        if (!writes && !reads) continue;
        report_host(FindingKind::missing_synchronisation, operation, code,
                    std::string("which a copy or set queued at ") +
                        find_caller(queued.launched_at).text() + " has still to " +
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
    }
}

void check_host_range(std::uintptr_t address, std::size_t bytes, Operation operation,
                      const void* code) {
    HostState& host = state();
    const std::lock_guard lock(runtime_mutex());
    if (host.last_version != memory_map_version ||
        address - number(host.last.begin) >= host.last.bytes) {
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
    if (host.last.kind == MemoryKind::device) {
        return report_host(
            FindingKind::device_pointer_on_host, operation, code,
            "which is the device's: " + describe_address(reinterpret_cast<const void*>(address)),
            "copy it with cudaMemcpy(), or use cudaMallocManaged()");
    }
    if (!host.queued.empty()) check_queued_work(address, bytes, operation, code);
}

// Ends the process with 1 where a finding is more than a warning.
void fail_at_exit(int status, void*) {
    print_summary();
    if (status != EXIT_SUCCESS || !has_errors()) return;
    std::cout.flush();
    std::clog.flush();
    std::fflush(nullptr);
    std::_Exit(EXIT_FAILURE);
}

}  // namespace

void attach_checks() {
    const MemoryArena arena = memory_arena();
    arena_begin = number(arena.begin);
    arena_bytes = arena.bytes;
    cover_memory(arena_begin, arena_bytes);
    host_hooks.memory_allocated = on_memory_allocated;
    host_hooks.memory_freed = on_memory_freed;
    host_hooks.memory_written = on_memory_written;
    host_hooks.work_queued = on_work_queued;
    host_hooks.work_ended = on_work_ended;
    host_hooks.task_begun = begin_task_checks;
    host_hooks.work_begun = on_work_begun;
    host_hooks.all_ended = forget_tasks;
    hooks.time_is_up = on_time_is_up;
    ::on_exit(fail_at_exit, nullptr);
}

void check_host_access(std::uintptr_t address, unsigned size, Operation operation,
                       const void* code) {
    if (api_calls > 0) return;
    check_host_range(address, size, operation, code);
}

void check_kernel_against_host(Worker& worker, int warp, const Request& request) {
    HostState& host = state();
    const std::uint64_t grid = worker.grid().serial;
    for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1) {
        const int lane = std::countr_zero(lanes);
        const auto found = host.touched.find(request.address[lane] >> 2);
        if (found == host.touched.end()) continue;
        const HostTouch& touch = found->second;
        if (grid > touch.last_grid || (request.operation == Operation::load && !touch.wrote)) {
            continue;
        }
        Finding finding;
        finding.kind = FindingKind::missing_synchronisation;
        finding.kernel = worker.grid().name();
        finding.actors.push_back(
            {-1, 0, find_line(touch.code), touch.wrote ? "writes memory" : "reads memory"});
        finding.actors.push_back({worker.block(), warp * kWarpSize + lane, line_of(request.place),
                                  verb(request.operation)});
        finding.what = "without waiting for the kernel";
        finding.advice = "call cudaDeviceSynchronize() before the host uses it";
        report(std::move(finding));
        return;
    }
}

void finish_checks() {
    HostState& host = state();
    if (sticky_error() != cudaSuccess) return;
    for (const auto& [key, queued] : host.queued) {
        const QueuedWork& work = queued.work;
        if (work.grid == 0) continue;
        Finding finding;
        finding.kind = FindingKind::never_synchronised;
        finding.kernel = work.kernel;
        finding.actors.push_back({-1, 0, find_caller(queued.launched_at), "launches it"});
        finding.what = "and ends without waiting: the kernel has not run";
        finding.advice = "call cudaDeviceSynchronize(), and look at what it returns";
        report(std::move(finding));
    }
    host.queued.clear();
}

}  // namespace emulator::counting

// ---- What library functions touch. The linker puts these before them (--wrap).

extern "C" {

[[gnu::weak]] void* __real_memcpy(void* destination, const void* source, std::size_t bytes);
[[gnu::weak]] void* __real_memmove(void* destination, const void* source, std::size_t bytes);
[[gnu::weak]] void* __real_memset(void* destination, int value, std::size_t bytes);
[[gnu::weak]] void __real_sincos(double x, double* sine, double* cosine);
[[gnu::weak]] void __real_sincosf(float x, float* sine, float* cosine);
[[gnu::weak]] double __real_frexp(double x, int* exponent);
[[gnu::weak]] float __real_frexpf(float x, int* exponent);
[[gnu::weak]] double __real_modf(double x, double* whole);
[[gnu::weak]] float __real_modff(float x, float* whole);
[[gnu::weak]] double __real_remquo(double x, double y, int* quotient);
[[gnu::weak]] float __real_remquof(float x, float y, int* quotient);

}  // extern "C"

namespace emulator::counting {
namespace {

void check_range(const void* memory, std::size_t bytes, Operation operation, const void* code) {
    const auto address = number(memory);
    if (bytes == 0 || !host_access_matters(address) || current_thread != nullptr || api_calls > 0) {
        return;
    }
    check_host_range(address, bytes, operation, code);
}

// Whether a kernel's own code, called at `code`, copies or sets memory.
bool is_by_kernel(const void* code) {
    if (!is_recording()) return false;
    static auto* known = new std::unordered_map<const void*, bool>;
    const Unrecorded unrecorded;
    const auto [entry, is_new] = known->try_emplace(code, false);
    if (is_new) entry->second = in_program_function(code);
    return entry->second;
}

// In pieces as large as alignment and size allow, each read before it is written.
void copy_by_kernel(char* destination, const char* source, std::size_t bytes, const void* code) {
    std::size_t piece = 16;
    while ((bytes | number(destination) | number(source)) % piece != 0) piece /= 2;
    const bool backwards = number(destination) - number(source) < bytes;
    for (std::size_t done = 0; done < bytes; done += piece) {
        const std::size_t offset = backwards ? bytes - piece - done : done;
        record_piece(EventKind::load, number(source) + offset, static_cast<unsigned>(piece), code);
        record_piece(EventKind::store, number(destination) + offset, static_cast<unsigned>(piece),
                     code);
        __real_memmove(destination + offset, source + offset, piece);
    }
}

void set_by_kernel(char* destination, int value, std::size_t bytes, const void* code) {
    std::size_t piece = 16;
    while ((bytes | number(destination)) % piece != 0) piece /= 2;
    for (std::size_t offset = 0; offset < bytes; offset += piece) {
        record_piece(EventKind::store, number(destination) + offset, static_cast<unsigned>(piece),
                     code);
        __real_memset(destination + offset, value, piece);
    }
}

void* copy(void* (*function)(void*, const void*, std::size_t), void* destination,
           const void* source, std::size_t bytes, const void* code) {
    if (is_by_kernel(code)) {
        copy_by_kernel(static_cast<char*>(destination), static_cast<const char*>(source), bytes,
                       code);
        return destination;
    }
    check_range(source, bytes, Operation::load, code);
    check_range(destination, bytes, Operation::store, code);
    return function(destination, source, bytes);
}

// A result that a function of the C library gives through a pointer.
template <class T>
void put(T* destination, T value, const void* code) {
    if (is_by_kernel(code)) {
        record_piece(EventKind::store, number(destination), sizeof(T), code);
    } else {
        check_range(destination, sizeof(T), Operation::store, code);
    }
    *destination = value;
}

template <class T>
void put_both(void (*function)(T, T*, T*), T x, T* first, T* second, const void* code) {
    T a;
    T b;
    function(x, &a, &b);
    put(first, a, code);
    put(second, b, code);
}

}  // namespace
}  // namespace emulator::counting

extern "C" {

void __wrap_sincos(double x, double* sine, double* cosine) {
    emulator::counting::put_both(__real_sincos, x, sine, cosine, __builtin_return_address(0));
}
void __wrap_sincosf(float x, float* sine, float* cosine) {
    emulator::counting::put_both(__real_sincosf, x, sine, cosine, __builtin_return_address(0));
}

#define EMULATOR_SECOND_RESULT(T, name, Second, parameters, ...)             \
    T __wrap_##name parameters {                                             \
        Second value;                                                        \
        const T result = __real_##name(__VA_ARGS__, &value);                 \
        emulator::counting::put(second, value, __builtin_return_address(0)); \
        return result;                                                       \
    }
EMULATOR_SECOND_RESULT(double, frexp, int, (double x, int* second), x)
EMULATOR_SECOND_RESULT(float, frexpf, int, (float x, int* second), x)
EMULATOR_SECOND_RESULT(double, modf, double, (double x, double* second), x)
EMULATOR_SECOND_RESULT(float, modff, float, (float x, float* second), x)
EMULATOR_SECOND_RESULT(double, remquo, int, (double x, double y, int* second), x, y)
EMULATOR_SECOND_RESULT(float, remquof, int, (float x, float y, int* second), x, y)
#undef EMULATOR_SECOND_RESULT

void* __wrap_memcpy(void* destination, const void* source, std::size_t bytes) {
    return emulator::counting::copy(__real_memcpy, destination, source, bytes,
                                    __builtin_return_address(0));
}

void* __wrap_memmove(void* destination, const void* source, std::size_t bytes) {
    return emulator::counting::copy(__real_memmove, destination, source, bytes,
                                    __builtin_return_address(0));
}

void* __wrap_memset(void* destination, int value, std::size_t bytes) {
    const void* const code = __builtin_return_address(0);
    if (emulator::counting::is_by_kernel(code)) {
        emulator::counting::set_by_kernel(static_cast<char*>(destination), value, bytes, code);
        return destination;
    }
    emulator::counting::check_range(destination, bytes, emulator::counting::Operation::store, code);
    return __real_memset(destination, value, bytes);
}

}  // extern "C"
