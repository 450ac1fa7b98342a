// SPDX-License-Identifier: MIT
// What g++ -fsanitize=thread -fsanitize-coverage=trace-pc calls before each access, in each
// function and in each basic block. This is the innermost loop of counting: a call-back costs a few
// nanoseconds, and all that can wait is left to the replay.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <span>
#include <unordered_map>

#include "common/emulator/counting/attach.hpp"
#include "common/emulator/counting/checks.hpp"
#include "common/emulator/counting/recorder.hpp"

extern "C" const char __executable_start[];

namespace emulator::counting {
namespace {

constinit bool values_kept = true;
constinit bool loaded_values_kept = false;
constinit bool kernel_known = false;

// Less than 24 bits: attach() sees to it.
[[gnu::always_inline]] inline std::uint64_t offset_of(const void* code) {
    return static_cast<std::uint64_t>(static_cast<const char*>(code) - __executable_start);
}

// What an event's head has of its code is the difference of two addresses: the prefix, which is
// computed once a call, has the one, and the call-backs add the other.
[[gnu::always_inline]] inline Head code_bits(const void* code) {
    return reinterpret_cast<std::uintptr_t>(code) << kCodeShift;
}
[[gnu::always_inline]] inline Head prefix_at(int depth, std::uint16_t path) {
    return prefix_of(depth, path) - code_bits(__executable_start);
}

// The stacks of the worker's fibers: local variables are registers to the hardware, or local
// memory, which is not counted.
[[gnu::tls_model("local-exec")]] constinit thread_local std::uintptr_t stacks_begin = 1;
[[gnu::tls_model("local-exec")]] constinit thread_local std::uintptr_t stacks_bytes = 0;

// The range in which an instruction last found its address. An instruction has one kind and size of
// access, so that the event is known but for the address.
struct CachedRange {
    const void* code = nullptr;
    std::uintptr_t begin = 0;
    std::uintptr_t limit = 0;  // of (address - begin) for the whole access to lie inside
    Head head = 0;  // without the call's prefix; 0: ignored
};
constexpr std::size_t kCachedRanges = 1024;
constinit std::array<CachedRange, kCachedRanges> range_cache{};
constinit std::uint64_t range_cache_version = 0;

CachedRange& cached_range(const void* code) {
    const auto bits = reinterpret_cast<std::uintptr_t>(code);
    return range_cache[(bits ^ bits >> 10) % kCachedRanges];
}

constexpr Operation operation_of(EventKind kind) {
    return kind == EventKind::load    ? Operation::load
           : kind == EventKind::store ? Operation::store
                                      : Operation::atomic;
}

// Of a thread that records nothing: always full, and emptied instead of replayed.
constinit thread_local WarpEvents::Row muted_events{};
constinit thread_local ThreadRecord muted_record{.depth = 2};

[[gnu::noinline]] void find_range(CachedRange& cached, std::uintptr_t address, unsigned size,
                                  Head meta, const void* code) {
    if (current_thread->record == &muted_record) {
        cached = {};
        return;
    }
    const Unrecorded unrecorded;
    const Range range = locate(address, size, operation_of(kind_of(meta)), code);
    cached.code = code;
    cached.begin = range.begin;
    cached.limit = range.bytes - size;
    cached.head = range.ignored ? 0 : code_bits(code) + (meta | meta_of(range.space));
}

void hold_thread();

[[gnu::noinline]] void hold(ThreadRecord& record) {
    if (&record == &muted_record) {
        record.next = muted_events.head;
        record.pending = nullptr;
        return;
    }
    capture_pending_value(record);
    while (record.next == record.end) hold_thread();
}

template <bool has_value, bool has_operand>
[[gnu::always_inline]] inline void write_event(ThreadRecord& record, Head head,
                                               std::uint64_t operand) {
    Head* const event = record.next;
    event[0] = record.prefix + head;
    if (has_operand) event[kOperandOffset] = operand;
    record.next = event + kRowStride;
    if (has_value && values_kept) {
        record.pending = event;
        record.pending_count = 1;
    }
}

// A function of its own, called last: the call-back itself then needs no stack.
template <bool has_value, bool has_operand>
[[gnu::noinline]] void append_slowly(ThreadRecord& record, Head head, std::uint64_t operand) {
    capture_pending_value(record);
    if (record.next == record.end) hold(record);
    write_event<has_value, has_operand>(record, head, operand);
}

template <bool has_value = false, bool has_operand = true>
[[gnu::always_inline]] inline void append(ThreadRecord& record, Head head, std::uint64_t operand) {
    if (record.next == record.end || (has_value && record.pending != nullptr)) [[unlikely]] {
        return append_slowly<has_value, has_operand>(record, head, operand);
    }
    write_event<has_value, has_operand>(record, head, operand);
}

// The value that a load is about to read.
[[gnu::noinline]] void append_loaded(ThreadRecord& record, Head head, std::uint64_t operand) {
    append<true>(record, head, operand);
    capture_pending_value(record);
}

[[gnu::noinline]] void note_host_access(std::uintptr_t address, unsigned size, EventKind kind,
                                        const void* code) {
    check_host_access(address, size, operation_of(kind), code);
}

template <EventKind kind>
[[gnu::always_inline]] inline void append_access(ThreadRecord& record, Head head,
                                                 std::uintptr_t address) {
    if (head == 0) return;
    if constexpr (kind == EventKind::load) {
        if (loaded_values_kept) [[unlikely]]
            return append_loaded(record, head, address);
        append(record, head, address);
    } else {
        append<true>(record, head, address);
    }
}

template <EventKind kind>
[[gnu::noinline]] void record_new_range(std::uintptr_t address, unsigned size, Head meta,
                                        const void* code) {
    CachedRange& cached = cached_range(code);
    if (address - stacks_begin < stacks_bytes) {
        cached = {code, stacks_begin, stacks_bytes - size, 0};
        return;
    }
    find_range(cached, address, size, meta, code);
    append_access<kind>(*current_thread->record, cached.head, address);
}

// What is rare is called last, so that the call-back itself needs no stack.
template <EventKind kind, unsigned size, bool is_volatile = false>
[[gnu::always_inline]] inline void record_access(const volatile void* pointer, const void* code) {
    constexpr Head kMeta = meta_of(kind, size, is_volatile);
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    ThreadContext* const thread = current_thread;
    if (thread == nullptr) [[unlikely]] {
        if (host_access_matters(address)) note_host_access(address, size, kind, code);
        return;
    }
    const CachedRange& cached = cached_range(code);
    if (cached.code != code || address - cached.begin > cached.limit) [[unlikely]] {
        return record_new_range<kind>(address, size, kMeta, code);
    }
    append_access<kind>(*thread->record, cached.head, address);
}

// A structure that is copied as a whole: pieces as large as a load may be and the size allows,
// which is what nvcc does with a structure of such alignment.
void record_structure(EventKind kind, const void* pointer, std::uint64_t bytes, const void* code) {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    ThreadContext* const thread = current_thread;
    const auto size = static_cast<unsigned>(bytes);
    if (bytes == 0) return;
    if (thread == nullptr) {
        if (host_access_matters(address)) note_host_access(address, size, kind, code);
        return;
    }
    if (address - stacks_begin < stacks_bytes) return;
    unsigned piece = 16;
    while (bytes % piece != 0) piece /= 2;
    CachedRange cached;
    find_range(cached, address, size, meta_of(kind, piece), code);
    if (cached.head == 0) return;
    // The pieces are written after this call-back, so no thread may hold between them.
    ThreadRecord& record = *thread->record;
    const unsigned pieces = size / piece;
    capture_pending_value(record);
    while (pieces <= kRows && &record != &muted_record &&
           record.next + pieces * kRowStride > record.end) {
        hold_thread();
    }
    for (unsigned offset = 0; offset < size; offset += piece) {
        append(record, cached.head, address + offset);
    }
    if (kind == EventKind::store && values_kept && pieces <= kRows) {
        record.pending = record.next - kRowStride;
        record.pending_count = pieces;
    }
}

// ---- Paths of calls

struct Path {
    std::uint16_t parent;
    std::uint32_t caller;
};

struct Paths {
    std::vector<Path> all{Path{0, 0}};
    std::unordered_map<std::uint64_t, std::uint16_t> known;
};

Paths& paths() {
    static auto* paths = new Paths;  // for static destructors too
    return *paths;
}

struct CachedPath {
    std::uint64_t key = 0;
    std::uint16_t path = 0;
};
constexpr std::size_t kCachedPaths = 256;
constinit std::array<CachedPath, kCachedPaths> path_cache{};

[[gnu::noinline]] void enter_unknown_kernel(const void* code) { kernel_known = name_kernel(code); }

[[gnu::noinline]] void enter_called_function(ThreadRecord& record, const void* caller) {
    if (&record == &muted_record) return;
    record.frames[record.depth % kMaxFrames * kWarpSize] = record.prefix;
    const auto depth = static_cast<int>(++record.depth);
    const std::uint16_t parent = path_of(record.prefix);
    const auto offset = static_cast<std::uint32_t>(offset_of(caller)) & kCodeMask;
    const std::uint64_t key = std::uint64_t{offset} << 16 | parent;
    CachedPath& cached = path_cache[(offset ^ parent * 31u) % kCachedPaths];
    if (cached.key != key) {
        cached.path = path_of_call(parent, offset);
        cached.key = key;
    }
    record.prefix = prefix_at(depth, cached.path);
}

[[gnu::always_inline]] inline void enter_function(const void* caller, const void* code) {
    ThreadContext* const thread = current_thread;
    if (thread == nullptr) return;
    ThreadRecord& record = *thread->record;
    if (record.depth != 0) return enter_called_function(record, caller);
    // Beneath run_threads, a kernel's body: its path is empty, whoever launched it.
    record.depth = 1;
    record.prefix = prefix_at(1, 0);
    if (!kernel_known) [[unlikely]]
        enter_unknown_kernel(code);
}

[[gnu::noinline]] void leave_called_function(ThreadRecord& record) {
    if (&record == &muted_record) return;
    capture_pending_value(record);
    if (record.depth == 0) return;
    --record.depth;
    record.prefix =
        record.depth == 0 ? prefix_at(0, 0) : record.frames[record.depth % kMaxFrames * kWarpSize];
}

[[gnu::always_inline]] inline void leave_function() {
    ThreadContext* const thread = current_thread;
    if (thread == nullptr) return;
    ThreadRecord& record = *thread->record;
    if (record.pending != nullptr || record.depth != 1) return leave_called_function(record);
    record.depth = 0;
    record.prefix = prefix_at(0, 0);
}

std::span<ThreadContext> threads_of(Worker& worker, int warp) {
    const auto threads = worker.threads().subspan(static_cast<std::size_t>(warp) * kWarpSize);
    return threads.first(std::min<std::size_t>(kWarpSize, threads.size()));
}

void give_buffer(Worker& worker, int warp, int buffer) {
    Recorder& own = recorder();
    own.buffer_of[warp] = static_cast<std::int8_t>(buffer);
    WarpEvents& events = own.buffers[buffer];
    for (int lane = 0; lane < kWarpSize; ++lane) {
        Head* const first = &events.rows[0].head[lane];
        ThreadRecord& record = own.records[buffer * kWarpSize + lane];
        record = {.next = first,
                  .end = first + kRows * kRowStride,
                  .prefix = prefix_at(0, 0),
                  .pending = nullptr,
                  .pending_count = 0,
                  .frames = &events.frames[0][lane],
                  .depth = 0,
                  .lane = lane};
    }
    for (ThreadContext& thread : threads_of(worker, warp)) {
        thread.record = &own.records[buffer * kWarpSize + thread.linear_index % kWarpSize];
    }
}

void hold_thread() {
    Worker& worker = *worker_of_running_block();
    {
        const Unrecorded unrecorded;
        end_turns(worker);
    }
    worker.hold();
}

}  // namespace

std::uint32_t code_offset(const void* code) { return static_cast<std::uint32_t>(offset_of(code)); }

const void* code_at(std::uint32_t offset) { return __executable_start + offset; }

std::uint16_t path_of_call(std::uint16_t parent, std::uint32_t caller) {
    Paths& table = paths();
    // A call that is open already is a recursion: its path is that of the outer call, so that there
    // are as many paths as the program has.
    for (std::uint16_t path = parent; path != 0; path = table.all[path].parent) {
        if (table.all[path].caller == caller) return path;
    }
    const auto [entry, is_new] = table.known.try_emplace(std::uint64_t{caller} << 16 | parent, 0);
    if (is_new && table.all.size() < 0xffff) {
        entry->second = static_cast<std::uint16_t>(table.all.size());
        table.all.push_back({parent, caller});
    }
    return entry->second;
}

std::vector<const void*> callers_of(std::uint16_t path) {
    std::vector<const void*> callers;
    for (; path != 0; path = paths().all[path].parent) {
        callers.push_back(code_at(paths().all[path].caller));
    }
    return callers;
}

Recorder& recorder() {
    constinit thread_local Recorder* own = nullptr;
    if (own == nullptr) {
        // Address space: committed as it is touched, and kept as the worker is.
        void* memory =
            ::mmap(nullptr, sizeof(Recorder) + kMaxWarpsPerBlock * sizeof(WarpEvents),
                   PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        auto* buffers = static_cast<WarpEvents*>(memory);
        own = reinterpret_cast<Recorder*>(buffers + kMaxWarpsPerBlock);
        own->buffers = buffers;
    }
    return *own;
}

Unrecorded::Unrecorded() : thread_(current_thread) {
    if (thread_ == nullptr) return;
    record_ = thread_->record;
    muted_record.next = muted_events.head;
    muted_record.end = muted_events.head + kRowStride;
    muted_record.pending = nullptr;
    muted_record.prefix = record_->prefix;  // running_callers() asks for it
    thread_->record = &muted_record;
}

Unrecorded::~Unrecorded() {
    if (thread_ != nullptr) thread_->record = record_;
}

void start_recording(Worker& worker, bool kernel_is_known) {
    kernel_known = kernel_is_known;
    const auto begin = reinterpret_cast<std::uintptr_t>(worker.stacks().begin());
    if (range_cache_version != memory_map_version || stacks_begin != begin) {
        range_cache_version = memory_map_version;
        range_cache.fill({});
    }
    stacks_begin = begin;
    stacks_bytes = worker.stacks().bytes();
    Recorder& own = recorder();
    own.buffer_of.fill(Recorder::kNone);
    own.warps_take_turns = true;
    give_buffer(worker, worker.next_warp(), 0);
}

void end_turn(Worker& worker, int warp) {
    Recorder& own = recorder();
    if (!own.warps_take_turns) return;
    own.buffer_of[warp] = Recorder::kNone;
    const int next = worker.next_warp();
    if (next < 0) return;
    // The records are as at the beginning.
    own.buffer_of[next] = 0;
    for (ThreadContext& thread : threads_of(worker, next)) {
        thread.record = &own.records[thread.linear_index % kWarpSize];
    }
}

void end_turns(Worker& worker) {
    Recorder& own = recorder();
    if (!own.warps_take_turns) return;
    own.warps_take_turns = false;
    const int warps = static_cast<int>(worker.threads().size() + kWarpSize - 1) / kWarpSize;
    int buffer = 0;
    for (int warp = 0; warp < warps; ++warp) {
        // A warp that has ended takes part in nothing any more.
        if (!own.has_buffer(warp) && worker.live_lanes(warp) != 0) {
            give_buffer(worker, warp, ++buffer);
        }
    }
}

void keep_values(bool stored, bool loaded) {
    values_kept = stored || loaded;
    loaded_values_kept = loaded;
}

void capture_pending_value(ThreadRecord& record) {
    if (record.pending == nullptr) return;
    for (unsigned i = 0; i < record.pending_count; ++i) {
        Head* const event = record.pending - i * kRowStride;
        std::uint32_t* const words = record.words_of(event);
        const void* const address = reinterpret_cast<const void*>(event[kOperandOffset]);
        switch (bytes_of(*event)) {
            case 4:
                std::memcpy(words, address, 4);
                break;
            case 8:
                std::memcpy(words, address, 8);
                break;
            case 16:
                std::memcpy(words, address, 16);
                break;
            case 2:
                words[0] = 0;
                std::memcpy(words, address, 2);
                break;
            default:
                words[0] = *static_cast<const std::uint8_t*>(address);
        }
    }
    record.pending = nullptr;
}

bool is_recording() { return current_thread != nullptr && current_thread->record != &muted_record; }

void record_piece(EventKind kind, std::uintptr_t address, unsigned size, const void* code) {
    if (address - stacks_begin < stacks_bytes) return;
    CachedRange found;
    find_range(found, address, size, meta_of(kind, size), code);
    if (found.head == 0) return;
    ThreadRecord& record = *current_thread->record;
    if (kind == EventKind::store) {
        append<true>(record, found.head, address);
    } else if (loaded_values_kept) {
        append_loaded(record, found.head, address);
    } else {
        append(record, found.head, address);
    }
}

void wait_for_replay() {
    ThreadRecord& record = *current_thread->record;
    if (&record == &muted_record) return;
    const int warp = current_thread->linear_index / kWarpSize;
    capture_pending_value(record);
    while (recorder().event_count(warp, record.lane) > 0) hold_thread();
}

void record_meeting(Head meta, const void* code, std::uint64_t operand) {
    ThreadRecord& record = *current_thread->record;
    capture_pending_value(record);
    append(record, code_bits(code) + meta, operand);
}

}  // namespace emulator::counting

using emulator::current_thread;
using emulator::counting::EventKind;
using emulator::counting::meta_of;

#define EMULATOR_CODE __builtin_return_address(0)

extern "C" {

void __tsan_init() { emulator::counting::attach(); }

void __tsan_func_entry(void* caller) { emulator::counting::enter_function(caller, EMULATOR_CODE); }
void __tsan_func_exit() { emulator::counting::leave_function(); }

void __sanitizer_cov_trace_pc() {
    emulator::ThreadContext* const thread = current_thread;
    if (thread == nullptr) return;
    using namespace emulator::counting;
    append<false, false>(*thread->record, code_bits(EMULATOR_CODE) + meta_of(EventKind::block), 0);
}

#define EMULATOR_ACCESSES(size)                                                                  \
    void __tsan_read##size(void* address) {                                                      \
        emulator::counting::record_access<EventKind::load, size>(address, EMULATOR_CODE);        \
    }                                                                                            \
    void __tsan_write##size(void* address) {                                                     \
        emulator::counting::record_access<EventKind::store, size>(address, EMULATOR_CODE);       \
    }                                                                                            \
    void __tsan_unaligned_read##size(void* address) {                                            \
        emulator::counting::record_access<EventKind::load, size>(address, EMULATOR_CODE);        \
    }                                                                                            \
    void __tsan_unaligned_write##size(void* address) {                                           \
        emulator::counting::record_access<EventKind::store, size>(address, EMULATOR_CODE);       \
    }                                                                                            \
    void __tsan_volatile_read##size(void* address) {                                             \
        emulator::counting::record_access<EventKind::load, size, true>(address, EMULATOR_CODE);  \
    }                                                                                            \
    void __tsan_volatile_write##size(void* address) {                                            \
        emulator::counting::record_access<EventKind::store, size, true>(address, EMULATOR_CODE); \
    }                                                                                            \
    void __tsan_unaligned_volatile_read##size(void* address) {                                   \
        emulator::counting::record_access<EventKind::load, size, true>(address, EMULATOR_CODE);  \
    }                                                                                            \
    void __tsan_unaligned_volatile_write##size(void* address) {                                  \
        emulator::counting::record_access<EventKind::store, size, true>(address, EMULATOR_CODE); \
    }
EMULATOR_ACCESSES(1)
EMULATOR_ACCESSES(2)
EMULATOR_ACCESSES(4)
EMULATOR_ACCESSES(8)
EMULATOR_ACCESSES(16)
#undef EMULATOR_ACCESSES

void __tsan_read_range(void* address, unsigned long bytes) {
    emulator::counting::record_structure(EventKind::load, address, bytes, EMULATOR_CODE);
}
void __tsan_write_range(void* address, unsigned long bytes) {
    emulator::counting::record_structure(EventKind::store, address, bytes, EMULATOR_CODE);
}

void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

void __tsan_atomic_thread_fence(int order) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (current_thread != nullptr && order != __ATOMIC_RELAXED) {
        emulator::counting::record_meeting(meta_of(EventKind::fence), EMULATOR_CODE, 1);
    }
}
void __tsan_atomic_signal_fence(int order) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (current_thread != nullptr && order != __ATOMIC_RELAXED) {
        emulator::counting::record_meeting(meta_of(EventKind::fence), EMULATOR_CODE, 0);
    }
}

// g++ replaces its own atomic operations by these.
#define EMULATOR_ATOMIC_FETCH(T, bits, operation)                                               \
    T __tsan_atomic##bits##_fetch_##operation(volatile T* address, T value, int) {              \
        emulator::counting::record_access<EventKind::atomic, bits / 8>(address, EMULATOR_CODE); \
        return __atomic_fetch_##operation(address, value, __ATOMIC_SEQ_CST);                    \
    }
#define EMULATOR_ATOMICS(T, bits)                                                                  \
    T __tsan_atomic##bits##_load(const volatile T* address, int) {                                 \
        emulator::counting::record_access<EventKind::load, bits / 8, true>(address,                \
                                                                           EMULATOR_CODE);         \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                         \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile T* address, T value, int) {                          \
        emulator::counting::record_access<EventKind::store, bits / 8, true>(address,               \
                                                                            EMULATOR_CODE);        \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                        \
    }                                                                                              \
    T __tsan_atomic##bits##_exchange(volatile T* address, T value, int) {                          \
        emulator::counting::record_access<EventKind::atomic, bits / 8, true>(address,              \
                                                                             EMULATOR_CODE);       \
        return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                              \
    }                                                                                              \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile T* address, T* expected, T desired, \
                                                      int, int) {                                  \
        emulator::counting::record_access<EventKind::atomic, bits / 8>(address, EMULATOR_CODE);    \
        return __atomic_compare_exchange_n(address, expected, desired, false, __ATOMIC_SEQ_CST,    \
                                           __ATOMIC_SEQ_CST);                                      \
    }                                                                                              \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile T* address, T* expected, T desired,   \
                                                    int, int) {                                    \
        emulator::counting::record_access<EventKind::atomic, bits / 8>(address, EMULATOR_CODE);    \
        return __atomic_compare_exchange_n(address, expected, desired, false, __ATOMIC_SEQ_CST,    \
                                           __ATOMIC_SEQ_CST);                                      \
    }                                                                                              \
    EMULATOR_ATOMIC_FETCH(T, bits, add)                                                            \
    EMULATOR_ATOMIC_FETCH(T, bits, sub)                                                            \
    EMULATOR_ATOMIC_FETCH(T, bits, and)                                                            \
    EMULATOR_ATOMIC_FETCH(T, bits, or)                                                             \
    EMULATOR_ATOMIC_FETCH(T, bits, xor)                                                            \
    EMULATOR_ATOMIC_FETCH(T, bits, nand)
EMULATOR_ATOMICS(std::uint8_t, 8)
EMULATOR_ATOMICS(std::uint16_t, 16)
EMULATOR_ATOMICS(std::uint32_t, 32)
EMULATOR_ATOMICS(std::uint64_t, 64)

}  // extern "C"

namespace emulator {

void note_fence(bool of_device) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (current_thread == nullptr) return;
    counting::record_meeting(meta_of(EventKind::fence), EMULATOR_CODE, of_device ? 1 : 0);
}

void note_atomic(void* address, int bytes, const void* code) {
    using counting::record_access;
    switch (bytes) {
        case 1:
            return record_access<EventKind::atomic, 1>(address, code);
        case 2:
            return record_access<EventKind::atomic, 2>(address, code);
        case 4:
            return record_access<EventKind::atomic, 4>(address, code);
        default:
            return record_access<EventKind::atomic, 8>(address, code);
    }
}

}  // namespace emulator
