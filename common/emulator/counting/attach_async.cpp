// SPDX-License-Identifier: MIT
#include "common/emulator/counting/attach_async.hpp"

#include "common/emulator/counting/checks/async_checks.hpp"
#include "common/emulator/counting/checks/checks.hpp"
#include "common/emulator/counting/checks/chosen_lines.hpp"
#include "common/emulator/counting/record/accesses.hpp"
#include "common/emulator/counting/record/async_events.hpp"
#include "common/emulator/counting/record/paths.hpp"
#include "common/emulator/counting/record/recorder.hpp"
#include "common/emulator/counting/record/source_lines.hpp"
#include "common/emulator/engine/hooks.hpp"

namespace emulator::counting {
namespace {

// Before the running thread may wait for others.
void before_waiting(Worker& worker, const void* code) {
    if (!block_is_recorded) return;
    check_time_at_call(worker, code);
    const Unrecorded unrecorded;
    end_turns(worker);
}

void on_copy_issued(const void* code, const AsyncCopy& copy, CopySort sort, std::uint64_t number) {
    if (!block_is_recorded) {
        if (sort == CopySort::product) return;
        if (copy.box == nullptr) return note_unrecorded(copy.destination, copy.bytes);
        copy.box->visit_parts([&](std::uint32_t, char* global, std::uint32_t bytes) {
            if (copy.box->stores && global != nullptr) note_unrecorded(global, bytes);
        });
        return;
    }
    record_copy(code, copy, sort, number);
    // A barrier may end the copy before the next event of this thread is replayed, and another warp
    // a product.
    if (sort == CopySort::bulk_load || sort == CopySort::product) wait_for_replay();
}

bool on_copies_awaited(const void* code, CopySort sort, std::uint64_t end) {
    {
        const Unrecorded unrecorded;
        if (is_skipped(code)) return false;
    }
    record_copy_wait(code, sort, end);
    return true;
}

void on_barrier_written(const void* code, const std::uint64_t* barrier, std::uint64_t state) {
    record_phase_step(code, PhaseStep::written, barrier, {state, true});
}

// All that a thread did before it arrives is replayed before the arrival takes effect. The replay
// thus keeps the order that phases make.
void on_arrival(Worker& worker, const void* code, const std::uint64_t* object, bool is_barrier) {
    before_waiting(worker, code);
    record_phase_step(code, PhaseStep::arrival, object, {0, is_barrier});
    wait_for_replay();
}

void on_completion_begins(const void* code, const std::uint64_t* barrier) {
    record_phase_step(code, PhaseStep::completion, barrier, {0, false});
}

void on_phase_ended(Worker& worker, const std::uint64_t* barrier, std::uint64_t phase,
                    std::span<const EndedWork> work) {
    if (!block_is_recorded) return;
    const Unrecorded unrecorded;
    end_phase_checks(worker, reinterpret_cast<std::uintptr_t>(barrier), phase, work);
}

bool on_wait_begins(Worker& worker, const void* code) {
    {
        const Unrecorded unrecorded;
        if (is_skipped(code)) return false;
    }
    before_waiting(worker, code);
    return true;
}

void on_wait_ended(const void* code, const std::uint64_t* barrier, std::uint64_t phase) {
    // The words of named barriers are the engine's own: no thread initialises them.
    const AsyncWork* const work = worker_of_running_block()->async_if_used();
    const bool is_mbarrier = named_barrier_of(*work, barrier) < 0;
    record_phase_step(code, PhaseStep::wait, barrier, {phase, is_mbarrier});
}

void on_matrix_row(const void* code, const void* row, bool is_store) {
    record_piece(is_store ? EventKind::store : EventKind::load,
                 reinterpret_cast<std::uintptr_t>(row), 16, code, kMatrixRow);
}

void on_call_refused(Worker& worker, const void* code, const char* what, const char* advice) {
    const std::uint16_t path = block_is_recorded ? running_path() : 0;
    const Unrecorded unrecorded;
    report_refused_call(worker, find_line(code, callers_of(path)), what, advice);
}

}  // namespace

void attach_async() {
    hooks.copy_issued = on_copy_issued;
    hooks.copies_awaited = on_copies_awaited;
    hooks.proxy_fence = record_proxy_fence;
    hooks.matrix_row = on_matrix_row;
    hooks.barrier_written = on_barrier_written;
    hooks.arrival = on_arrival;
    hooks.completion_begins = on_completion_begins;
    hooks.phase_ended = on_phase_ended;
    hooks.wait_begins = on_wait_begins;
    hooks.wait_ended = on_wait_ended;
    hooks.call_refused = on_call_refused;
}

}  // namespace emulator::counting
