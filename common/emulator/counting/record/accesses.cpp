// SPDX-License-Identifier: MIT
#include "common/emulator/counting/record/accesses.hpp"

#include <utility>

namespace emulator::counting {

RecordHooks record_hooks;
std::uint64_t memory_map_version = 0;
std::uintptr_t arena_begin = 0;
const unsigned char* arena_written = nullptr;
std::uintptr_t arena_bytes = 0;
std::uintptr_t doubtful_begin = 0;
std::uintptr_t doubtful_bytes = 0;

constinit thread_local std::uintptr_t stacks_begin = 1;
constinit thread_local std::uintptr_t stacks_bytes = 0;
constinit std::array<CachedRange, kCachedRanges> range_cache{};

namespace {

constinit std::uint64_t range_cache_version = 0;
constinit thread_local std::uintptr_t stack_bytes = 1;  // of one fiber

}  // namespace

void start_accesses(Worker& worker) {
    const auto begin = reinterpret_cast<std::uintptr_t>(worker.stacks().begin());
    if (range_cache_version != memory_map_version || stacks_begin != begin) {
        range_cache_version = memory_map_version;
        range_cache.fill({});
    }
    stacks_begin = begin;
    stacks_bytes = worker.stacks().bytes();
    stack_bytes = worker.stacks().stack_bytes();
}

void check_local(std::uintptr_t address, unsigned size, Head meta, const void* code) {
    if (is_muted(*current_thread->record)) return;
    // A thread keeps its fiber, and this function runs on the same stack as the thread.
    const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    const std::uintptr_t begin = frame - (frame - stacks_begin) % stack_bytes;
    if (address - begin < stack_bytes || !on_a_stack(frame)) return;
    const Unrecorded unrecorded;
    record_hooks.refuse_local(size, operation_of(kind_of(meta)), code);
}

void forget_ranges_at(std::uintptr_t begin) {
    for (CachedRange& cached : range_cache) {
        if (cached.begin == begin) cached = {};
    }
}

void find_range(CachedRange& cached, std::uintptr_t address, unsigned size, Head meta,
                const void* code) {
    if (is_muted(*current_thread->record)) {
        cached = {};
        return;
    }
    const Unrecorded unrecorded;
    const Range range = record_hooks.locate(address, size, operation_of(kind_of(meta)), code);
    cached.code = code;
    cached.begin = range.begin;
    cached.limit = range.bytes - size;
    cached.head = range.ignored ? 0 : code_bits(code) + (meta | meta_of(range.space));
}

void check_alignment(CachedRange& cached, std::uintptr_t address, unsigned size, Head meta,
                     const void* code) {
    cached.unaligned = size - 1;
    if ((address & cached.unaligned) == 0) return;
    const Unrecorded unrecorded;
    record_hooks.check_misaligned(address, size, operation_of(kind_of(meta)), code);
    cached.unaligned = 7;  // two values of 8 bytes, which a GPU accesses one by one
}

void note_host_access(std::uintptr_t address, std::size_t bytes, EventKind kind, const void* code) {
    record_hooks.check_host_access(address, bytes, operation_of(kind), code);
}

void make_room(ThreadRecord& record) {
    if (is_muted(record)) return empty_muted_record();
    capture_pending_value(record);
    while (record.next == record.end) hold_thread();
}

void append_loaded(ThreadRecord& record, Head head, std::uint64_t operand) {
    append<true>(record, head, operand);
    capture_pending_value(record);
}

void note_unrecorded_poll() {
    constexpr unsigned kManyPolls = 4096;
    constinit static thread_local unsigned polls = 0;
    if (++polls % kManyPolls == 0) worker_of_running_block()->hold();
}

namespace {

// The host assigns structures, and copies of a size that g++ knows, by a read and a write of the
// same number of bytes. That copies like memcpy(): it uses no value.
void record_structure_of_host(EventKind kind, std::uintptr_t address, unsigned size,
                              const void* code) {
    struct Source {
        std::uintptr_t address;
        unsigned size;
    };
    constinit static thread_local Source last_read{0, 0};
    const Source from =
        std::exchange(last_read, kind == EventKind::load ? Source{address, size} : Source{0, 0});
    const bool is_copy = kind == EventKind::store && from.size == size;
    if (is_copy && host_access_matters(from.address, size) && !in_arena(from.address) &&
        !in_arena(address)) {
        record_hooks.check_host_copy(address, from.address, size, code);
    } else if (host_access_matters(address, size)) {
        note_host_access(address, size, kind, code);
    }
}

}  // namespace

// Pieces as large as a load may be and as the size allows: nvcc does the same with a structure of
// such an alignment.
void record_structure(EventKind kind, const void* pointer, std::uint64_t bytes, const void* code) {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    ThreadContext* const thread = current_thread;
    const auto size = static_cast<unsigned>(bytes);
    if (bytes == 0) return;
    if (thread == nullptr) return record_structure_of_host(kind, address, size, code);
    if (thread->record == nullptr) {
        if (kind != EventKind::load) note_unrecorded(pointer, size);
        return;
    }
    if (on_a_stack(address)) return check_local(address, size, meta_of(kind), code);
    unsigned piece = 16;
    while (bytes % piece != 0) piece /= 2;
    CachedRange cached;
    find_range(cached, address, size, meta_of(kind, piece), code);
    if (cached.head == 0) return;
    // The pieces are written after this call-back, so no thread may wait between them.
    ThreadRecord& record = *thread->record;
    const unsigned pieces = size / piece;
    capture_pending_value(record);
    while (pieces <= kRows && !is_muted(record) && record.next + pieces * kRowStride > record.end) {
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

void record_piece(EventKind kind, std::uintptr_t address, unsigned size, const void* code,
                  Head mark) {
    if (current_thread->record == nullptr) {
        const void* const place = reinterpret_cast<const void*>(address);
        if (kind != EventKind::load) note_unrecorded(place, size);
        return;
    }
    if (on_a_stack(address)) return check_local(address, size, meta_of(kind, size), code);
    CachedRange found;
    find_range(found, address, size, meta_of(kind, size) | mark, code);
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

void record_texel(EventKind kind, const void* texel, unsigned size, const void* code) {
    const auto address = reinterpret_cast<std::uintptr_t>(texel);
    if (current_thread->record == nullptr) {
        if (kind != EventKind::load) note_unrecorded(texel, size);
        return;
    }
    CachedRange& cached = cached_range(code);
    if (cached.code != code || address - cached.begin > cached.limit) {
        find_range(cached, address, size, meta_of(kind, size), code);
        if (cached.head != 0) cached.head |= meta_of(Space::texture);
    }
    if (cached.head == 0) return;
    ThreadRecord& record = *current_thread->record;
    if (kind == EventKind::store) {
        append<true>(record, cached.head, address);
    } else if (loaded_values_kept) {
        append_loaded(record, cached.head, address);
    } else {
        append(record, cached.head, address);
    }
}

void record_meeting(Head meta, const void* code, std::uint64_t operand) {
    if (current_thread->record == nullptr) return;
    ThreadRecord& record = *current_thread->record;
    capture_pending_value(record);
    append(record, code_bits(code) + meta, operand);
}

}  // namespace emulator::counting
