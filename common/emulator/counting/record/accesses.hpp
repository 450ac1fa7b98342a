// SPDX-License-Identifier: MIT
// Recording of accesses: the innermost loop of counting. It costs a few nanoseconds per access, and
// all that can wait is left to the replay. The call-backs inline these functions. They call rare
// work last, so that they need no stack themselves.
#pragma once

#include <array>
#include <cstdint>

#include "common/emulator/counting/record/call_prefix.hpp"
#include "common/emulator/counting/record/record_hooks.hpp"
#include "common/emulator/counting/record/recorder.hpp"
#include "common/emulator/counting/record/written_bits.hpp"

namespace emulator::counting {

// The stacks of the worker's fibers. To the hardware local variables are registers, or local
// memory, which is not counted.
[[gnu::tls_model("local-exec")]] extern constinit thread_local std::uintptr_t stacks_begin;
[[gnu::tls_model("local-exec")]] extern constinit thread_local std::uintptr_t stacks_bytes;
inline bool on_a_stack(std::uintptr_t address) { return address - stacks_begin < stacks_bytes; }

// The range in which an instruction last found its address. An instruction has one kind and one
// size of access, so that all of its event is known except the address.
struct CachedRange {
    const void* code = nullptr;
    std::uintptr_t begin = 0;
    std::uintptr_t limit = 0;  // the whole access lies inside where address - begin <= limit
    Head head = 0;  // without the call's prefix; 0: ignored
    std::uintptr_t unaligned =
        0;  // bits of an address that a GPU refuses, or that were not examined
};
constexpr std::size_t kCachedRanges = 1024;
extern constinit std::array<CachedRange, kCachedRanges> range_cache;

inline CachedRange& cached_range(const void* code) {
    const auto bits = reinterpret_cast<std::uintptr_t>(code);
    return range_cache[(bits ^ bits >> 10) % kCachedRanges];
}

// Before a block: forgets cached ranges that are no longer valid.
void start_accesses(Worker& worker);

constexpr Operation operation_of(EventKind kind) {
    return kind == EventKind::load    ? Operation::load
           : kind == EventKind::store ? Operation::store
                                      : Operation::atomic;
}

// The allocation that begins there is freed.
void forget_ranges_at(std::uintptr_t begin);

void find_range(CachedRange& cached, std::uintptr_t address, unsigned size, Head meta,
                const void* code);
// The address lies on the stack of a fiber. Returns if it is the running thread's. No range is kept
// for it: the next thread has another stack.
void check_local(std::uintptr_t address, unsigned size, Head meta, const void* code);
// Returns if a GPU takes the address for such an access.
void check_alignment(CachedRange& cached, std::uintptr_t address, unsigned size, Head meta,
                     const void* code);
void note_host_access(std::uintptr_t address, std::size_t bytes, EventKind kind, const void* code);
// The running thread belongs to a block that is not recorded. What it writes counts as written.
[[gnu::always_inline]] inline void note_unrecorded(const volatile void* pointer,
                                                   std::size_t bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    if (!in_arena(address)) return;
    // Most stores go where something was stored before.
    const bool is_short = bytes <= kWrittenStep;
    if (is_short && all_are_written(arena_written, address - arena_begin, bytes)) return;
    record_hooks.note_unrecorded_store(address, bytes);
}

// The running thread belongs to a block that is not recorded, and makes a volatile or atomic
// access. After many of them, all other threads run first: it may wait for one of them.
void note_unrecorded_poll();

// The record is full: makes room.
void make_room(ThreadRecord& record);

template <bool kHasValue, bool kHasOperand>
[[gnu::always_inline]] inline void write_event(ThreadRecord& record, Head head,
                                               std::uint64_t operand) {
    Head* const event = record.next;
    event[0] = record.prefix + head;
    if (kHasOperand) event[kOperandOffset] = operand;
    record.next = event + kRowStride;
    if (kHasValue && values_kept) {
        record.pending = event;
        record.pending_count = 1;
    }
}

template <bool kHasValue, bool kHasOperand>
[[gnu::noinline]] void append_slowly(ThreadRecord& record, Head head, std::uint64_t operand) {
    capture_pending_value(record);
    if (record.next == record.end) make_room(record);
    write_event<kHasValue, kHasOperand>(record, head, operand);
}

template <bool kHasValue = false, bool kHasOperand = true>
[[gnu::always_inline]] inline void append(ThreadRecord& record, Head head, std::uint64_t operand) {
    if (record.next == record.end || (kHasValue && record.pending != nullptr)) [[unlikely]] {
        return append_slowly<kHasValue, kHasOperand>(record, head, operand);
    }
    write_event<kHasValue, kHasOperand>(record, head, operand);
}

// A load whose value is kept: the value that it is about to read.
void append_loaded(ThreadRecord& record, Head head, std::uint64_t operand);

template <EventKind kKind>
[[gnu::always_inline]] inline void append_access(ThreadRecord& record, Head head,
                                                 std::uintptr_t address) {
    if (head == 0) return;
    if constexpr (kKind == EventKind::load) {
        if (loaded_values_kept) [[unlikely]] {
            return append_loaded(record, head, address);
        }
        append(record, head, address);
    } else {
        append<true>(record, head, address);
    }
}

template <EventKind kKind>
[[gnu::noinline]] void record_new_range(std::uintptr_t address, unsigned size, Head meta,
                                        const void* code) {
    if (on_a_stack(address)) {
        // Nearly all local variables lie a little above the frame of the running function.
        constexpr std::uintptr_t kNear = 16 * 1024;
        const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
        return address - frame < kNear ? void() : check_local(address, size, meta, code);
    }
    CachedRange& cached = cached_range(code);
    find_range(cached, address, size, meta, code);
    if (cached.head != 0) check_alignment(cached, address, size, meta, code);
    append_access<kKind>(*current_thread->record, cached.head, address);
}

// `code` is the return address of the instruction's call-back, here and below.
template <EventKind kKind, unsigned kSize, bool kIsVolatile = false, bool kIsAtomicObject = false,
          bool kIsReadOnly = false>
[[gnu::always_inline]] inline void record_access(const volatile void* pointer, const void* code) {
    constexpr Head kMeta = meta_of(kKind, kSize, kIsVolatile) |
                           (kIsAtomicObject ? kAtomicObject : 0) |
                           (kIsReadOnly ? kReadOnlyLoad : 0);
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    ThreadContext* const thread = current_thread;
    if (thread == nullptr) [[unlikely]] {
        if (host_access_matters(address, kSize)) note_host_access(address, kSize, kKind, code);
        return;
    }
    if (thread->record == nullptr) [[unlikely]] {
        if (kKind != EventKind::load) note_unrecorded(pointer, kSize);
        if (kKind == EventKind::atomic || kIsVolatile) note_unrecorded_poll();
        return;
    }
    const CachedRange& cached = cached_range(code);
    if (cached.code != code || address - cached.begin > cached.limit ||
        (kSize > 1 && (address & cached.unaligned) != 0)) [[unlikely]] {
        return record_new_range<kKind>(address, kSize, kMeta, code);
    }
    append_access<kKind>(*thread->record, cached.head, address);
}

// A structure that is copied as a whole.
void record_structure(EventKind kind, const void* pointer, std::uint64_t bytes, const void* code);

// An access by a library function that the running thread called at `code`. What it stores is
// stored after this call.
// `mark`: further bits of the event's meta.
void record_piece(EventKind kind, std::uintptr_t address, unsigned size, const void* code,
                  Head mark = 0);

// A texture fetch or a surface access. What it stores is stored after this call.
void record_texel(EventKind kind, const void* texel, unsigned size, const void* code);

// The running thread is at a barrier, fence or collective. `operand`: of a fence, whether it orders
// more than its block; of a collective 0, until its lanes have met.
void record_meeting(Head meta, const void* code, std::uint64_t operand);

}  // namespace emulator::counting
