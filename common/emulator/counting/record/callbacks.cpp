// SPDX-License-Identifier: MIT
// The functions that g++ -fsanitize=thread -fsanitize-coverage=trace-pc calls before each access,
// in each function and in each basic block.
#include "common/emulator/counting/record/callbacks.hpp"

#include "common/emulator/counting/record/accesses.hpp"

namespace emulator::counting {
namespace {

constinit bool kernel_known = false;

struct CachedPath {
    std::uint64_t key = 0;
    std::uint16_t path = 0;
};
constexpr std::size_t kCachedPaths = 256;
constinit std::array<CachedPath, kCachedPaths> path_cache{};

[[gnu::noinline]] void enter_unknown_kernel(const void* code) {
    kernel_known = record_hooks.name_kernel(code);
}

[[gnu::noinline]] void enter_called_function(ThreadRecord& record, const void* caller) {
    if (is_muted(record)) return;
    record.frames[record.depth % kMaxFrames * kWarpSize] = record.prefix;
    const auto depth = static_cast<int>(++record.depth);
    const std::uint16_t parent = path_of(record.prefix);
    const std::uint32_t offset = code_offset(caller) & kCodeMask;
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
    if (thread->record == nullptr) [[unlikely]] {
        if (!kernel_known) enter_unknown_kernel(code);
        return;
    }
    ThreadRecord& record = *thread->record;
    if (record.depth != 0) return enter_called_function(record, caller);
    // A kernel's body, called by run_threads: its path is empty, whoever launched it.
    record.depth = 1;
    record.prefix = prefix_at(1, 0);
    if (!kernel_known) [[unlikely]] {
        enter_unknown_kernel(code);
    }
}

[[gnu::noinline]] void leave_called_function(ThreadRecord& record) {
    if (is_muted(record)) return;
    capture_pending_value(record);
    if (record.depth == 0) return;
    --record.depth;
    record.prefix =
        record.depth == 0 ? prefix_at(0, 0) : record.frames[record.depth % kMaxFrames * kWarpSize];
}

[[gnu::always_inline]] inline void leave_function() {
    ThreadContext* const thread = current_thread;
    if (thread == nullptr || thread->record == nullptr) return;
    ThreadRecord& record = *thread->record;
    if (record.pending != nullptr || record.depth != 1) return leave_called_function(record);
    record.depth = 0;
    record.prefix = prefix_at(0, 0);
}

}  // namespace

void start_recording(Worker& worker, bool kernel_is_known) {
    kernel_known = kernel_is_known;
    start_accesses(worker);
    start_buffers(worker);
}

void start_unrecorded(Worker& worker, bool kernel_is_known) {
    if (!kernel_is_known) kernel_known = false;
    start_without_buffers(worker);
}

}  // namespace emulator::counting

using emulator::current_thread;
using emulator::counting::EventKind;
using emulator::counting::meta_of;

#define EMULATOR_CODE __builtin_return_address(0)

extern "C" {

void __tsan_func_entry(void* caller) { emulator::counting::enter_function(caller, EMULATOR_CODE); }
void __tsan_func_exit() { emulator::counting::leave_function(); }

void __sanitizer_cov_trace_pc() {
    emulator::ThreadContext* const thread = current_thread;
    if (thread == nullptr || thread->record == nullptr) return;
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

void __tsan_vptr_update(void** address, void*) {
    emulator::counting::record_access<EventKind::store, sizeof(void*)>(address, EMULATOR_CODE);
}
void __tsan_vptr_read(void** address) {
    emulator::counting::record_access<EventKind::load, sizeof(void*)>(address, EMULATOR_CODE);
}

}  // extern "C"
