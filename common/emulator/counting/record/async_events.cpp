// SPDX-License-Identifier: MIT
#include "common/emulator/counting/record/async_events.hpp"

#include <cstring>

#include "common/emulator/counting/record/accesses.hpp"
#include "common/emulator/counting/record/address.hpp"

namespace emulator::counting {
namespace {

Range range_of(const void* address, std::uint32_t bytes, Operation operation, const void* code) {
    const Unrecorded unrecorded;
    return record_hooks.locate(number_of(address), bytes, operation, code);
}

template <class Operands>
void record_event(const void* code, Head meta, std::uint64_t operand, const Operands& words) {
    ThreadRecord& record = *current_thread->record;
    if (is_muted(record)) return;
    capture_pending_value(record);
    append(record, code_bits(code) + meta, operand);
    std::memcpy(record.words_of(record.next - kRowStride), &words, sizeof words);
}

constexpr unsigned kBulkSize = 16;  // of which bulk copies are multiples, in an event's head

// `mark`: further bits of the event's meta.
void record_part(const void* code, const AsyncCopy& copy, CopySort sort, std::uint64_t number,
                 unsigned size, Head mark) {
    if (copy.read_bytes > 0) range_of(copy.source, copy.read_bytes, Operation::load, code);
    if (copy.bytes > 0) range_of(copy.destination, copy.bytes, Operation::store, code);
    const auto other =
        static_cast<std::uint32_t>(sort == CopySort::bulk_load ? number : copy.read_bytes);
    record_event(code, meta_of(EventKind::copy, size, sort) | mark, number_of(copy.source),
                 CopyWords{number_of(copy.destination), copy.bytes, other});
}

// Within the shared memory of the box, parts count as lying there without the swizzle.
void record_box(const void* code, const TensorBox& box, CopySort sort, std::uint64_t number) {
    Head mark = 0;
    box.visit_parts([&](std::uint32_t offset, char* global, std::uint32_t bytes) {
        char* const shared = box.shared + offset;
        if (box.stores && global == nullptr) return;
        const AsyncCopy part{box.stores ? global : shared, box.stores ? shared : global, bytes,
                             global != nullptr ? bytes : 0};
        record_part(code, part, sort, number, kBulkSize, mark);
        mark = kFurtherPart;
    });
    // Each copy has an event: the replay counts them.
    if (mark == 0) record_part(code, {}, sort, number, kBulkSize, mark);
}

}  // namespace

void record_copy(const void* code, const AsyncCopy& copy, CopySort sort, std::uint64_t number) {
    if (sort == CopySort::product) {
        Head mark = 0;
        for (const OperandPart& part : copy.operands) {
            record_part(code, {nullptr, part.address, 0, part.bytes}, sort, number, kBulkSize,
                        mark);
            mark = kFurtherPart;
        }
        return;
    }
    if (copy.box != nullptr) return record_box(code, *copy.box, sort, number);
    record_part(code, copy, sort, number, sort == CopySort::plain ? copy.bytes : kBulkSize, 0);
}

void record_copy_wait(const void* code, CopySort sort, std::uint64_t end) {
    record_meeting(meta_of(EventKind::copy_wait, 1, sort), code, end);
}

void record_phase_step(const void* code, PhaseStep step, const std::uint64_t* barrier,
                       PhaseWords words) {
    if (!block_is_recorded) return note_unrecorded(barrier, 1);
    const Operation operation = step == PhaseStep::written ? Operation::store
                                : step == PhaseStep::wait  ? Operation::load
                                                           : Operation::atomic;
    const Range range =
        range_of(barrier, words.is_barrier != 0 ? sizeof *barrier : 1, operation, code);
    record_event(code, meta_of(step) | meta_of(range.space), number_of(barrier), words);
}

void record_proxy_fence(const void* code) {
    record_meeting(meta_of(EventKind::proxy_fence), code, 0);
}

}  // namespace emulator::counting
