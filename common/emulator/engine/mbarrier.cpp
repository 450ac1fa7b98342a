// SPDX-License-Identifier: MIT
// mbarrier objects. From the lowest bit of the word: pending arrivals (20 bits), arrivals that a
// phase expects (20), pending transactions (21, signed), parity of the phase (1), a mark (2) that
// tells an initialised barrier from other data.
#include "common/emulator/engine/mbarrier.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <utility>

#include "common/emulator/engine/async/async_work.hpp"
#include "common/emulator/engine/hooks.hpp"
#include "common/emulator/engine/worker.hpp"

namespace emulator {
namespace {

constexpr int kExpectedShift = 20;
constexpr std::uint64_t kParity = std::uint64_t{1} << 61;
constexpr std::uint64_t kMark = std::uint64_t{2} << 62;

std::uint32_t expected_of(std::uint64_t state) {
    return static_cast<std::uint32_t>(state >> kExpectedShift & kMaxBarrierCount);
}
std::uint64_t with_pending(std::uint64_t state, std::uint32_t pending) {
    return (state & ~std::uint64_t{kMaxBarrierCount}) | pending;
}
std::uint64_t with_expected(std::uint64_t state, std::uint32_t expected) {
    return (state & ~(std::uint64_t{kMaxBarrierCount} << kExpectedShift)) | std::uint64_t{expected}
                                                                                << kExpectedShift;
}
std::uint64_t with_transactions(std::uint64_t state, std::int64_t bytes) {
    return (state & ~(kTransactionMask << kTransactionShift)) |
           (static_cast<std::uint64_t>(bytes) & kTransactionMask) << kTransactionShift;
}

bool is_complete(std::uint64_t state) {
    return pending_of(state) == 0 && transactions_of(state) == 0;
}

void add_transactions(std::uint64_t* barrier, std::int64_t bytes) {
    *barrier = with_transactions(*barrier, transactions_of(*barrier) + bytes);
}

// Whether only the end of tracked work is missing.
bool only_tracked_work_is_missing(const AsyncWork& work, const std::uint64_t* barrier) {
    std::uint32_t arrivals = 0;
    std::int64_t bytes = 0;
    for (const TrackedWork& entry : work.tracked) {
        if (entry.barrier != barrier) continue;
        arrivals += !entry.is_bulk;
        bytes += entry.is_bulk ? entry.copy.bytes : 0;
    }
    return pending_of(*barrier) == arrivals && transactions_of(*barrier) == bytes;
}

bool some_wait_for(const AsyncWork& work, const std::uint64_t* barrier) {
    return std::any_of(work.waiters.begin(), work.waiters.end(),
                       [&](const PhaseWaiter& waiter) { return waiter.barrier == barrier; });
}

// All work that the barrier tracks ends.
void end_tracked_work(AsyncWork& work, std::uint64_t* barrier) {
    for (TrackedWork& entry : work.tracked) {
        if (entry.barrier != barrier) continue;
        work.ended.push_back({entry.thread, entry.number, entry.is_bulk});
        if (entry.is_bulk) {
            if (!entry.copy.at_once) move_data(entry.copy);
            add_transactions(barrier, -std::int64_t{entry.copy.bytes});
        } else {
            work.copies[entry.thread].complete(entry.number);
            *barrier = with_pending(*barrier, pending_of(*barrier) - 1);
        }
    }
    std::erase_if(work.tracked, [&](const TrackedWork& entry) { return entry.barrier == barrier; });
}

void check_initialised(std::uint64_t* barrier, const void* code) {
    check_barrier_word(barrier, code);
    if (is_barrier(*barrier)) return;
    refuse_call(cudaErrorLaunchFailure, code, "uses a barrier that is not initialised",
                "let one thread call init(), then all __syncthreads(), before the first use");
}

// Whether the phase has ended; its tracked work ends if that is all it waits for.
bool has_ended(std::uint64_t* barrier, bool parity) {
    if (parity_of(*barrier) == parity) advance_phase(barrier, true);
    return parity_of(*barrier) != parity;
}

void suspend_until_end(std::uint64_t* barrier, bool parity, const void* code, bool polls) {
    Worker& worker = *running_worker;
    worker.async().waiters.push_back({current_thread->linear_index, parity, barrier, code, polls});
    worker.suspend();
}

}  // namespace

void check_barrier_word(const std::uint64_t* barrier, const void* code) {
    if (reinterpret_cast<std::uintptr_t>(barrier) % sizeof *barrier == 0 && barrier != nullptr) {
        return;
    }
    refuse_call(cudaErrorMisalignedAddress, code,
                "uses a barrier whose address is null or no multiple of 8 bytes",
                "declare it as a __shared__ variable of its own type");
}

void grow_pending_count(std::uint64_t* barrier, const void* code) {
    check_initialised(barrier, code);
    *barrier = with_pending(*barrier, pending_of(*barrier) + 1);
}

void advance_phase(std::uint64_t* barrier, bool awaited) {
    AsyncWork& work = running_worker->async();
    if (!awaited) work.fruitless_rounds = 0;
    if (!is_complete(*barrier)) {
        if (!awaited && !some_wait_for(work, barrier)) return;
        if (!only_tracked_work_is_missing(work, barrier)) return;
        end_tracked_work(work, barrier);
    }
    *barrier = with_pending(*barrier ^ kParity, expected_of(*barrier));
    const std::uint64_t number = ++work.phase_count;
    if (hooks.phase_ended != nullptr) {
        hooks.phase_ended(*running_worker, barrier, number, work.ended);
    }
    work.ended.clear();
    const auto known =
        std::find_if(work.phases.begin(), work.phases.end(),
                     [&](const EndedPhase& phase) { return phase.barrier == barrier; });
    if (known == work.phases.end()) {
        work.phases.push_back({barrier, number});
    } else {
        known->number = number;
    }
    const bool parity = parity_of(*barrier);
    std::erase_if(work.waiters, [&](const PhaseWaiter& waiter) {
        if (waiter.barrier != barrier || waiter.parity == parity) return false;
        running_worker->resume(waiter.thread);
        return true;
    });
}

void barrier_init(std::uint64_t* barrier, std::uint32_t count) noexcept {
    const void* const code = __builtin_return_address(0);
    check_barrier_word(barrier, code);
    if (count == 0 || count > kMaxBarrierCount) {
        refuse_call(cudaErrorLaunchFailure, code,
                    "initialises a barrier that expects no arrival, or more than 1 048 575",
                    "pass the number of threads that arrive in each phase");
    }
    const std::uint64_t state = kMark | std::uint64_t{count} << kExpectedShift | count;
    if (hooks.barrier_written != nullptr) hooks.barrier_written(code, barrier, state);
    *barrier = state;
}

void barrier_prepare(std::uint64_t* barrier, std::uint32_t count) noexcept {
    if (!is_barrier(*barrier)) *barrier = kMark | std::uint64_t{count} << kExpectedShift | count;
}

void barrier_invalidate(std::uint64_t* barrier) noexcept {
    const void* const code = __builtin_return_address(0);
    check_initialised(barrier, code);
    if (hooks.barrier_written != nullptr) hooks.barrier_written(code, barrier, 0);
    *barrier = 0;
}

std::uint64_t barrier_arrive(std::uint64_t* barrier, std::uint32_t count,
                             std::uint32_t transactions, bool drop,
                             PhaseCompletion completion) noexcept {
    const void* const code = __builtin_return_address(0);
    check_barrier_word(barrier, code);
    if (hooks.arrival != nullptr) hooks.arrival(*running_worker, code, barrier, true);
    check_initialised(barrier, code);
    const std::uint64_t before = *barrier;
    if (count > pending_of(before)) {
        refuse_call(cudaErrorLaunchFailure, code,
                    "arrives at a barrier whose phase expects no more arrivals",
                    "initialise the barrier with the number of threads that arrive, and let none "
                    "arrive twice in a phase");
    }
    std::uint64_t state = with_transactions(before, transactions_of(before) + transactions);
    if (drop) {
        state = with_expected(state, expected_of(state) - std::min(expected_of(state), count));
    }
    *barrier = with_pending(state, pending_of(state) - count);
    if (completion.call != nullptr && is_complete(*barrier)) {
        // The last thread runs it, ordered after all arrivals.
        if (hooks.completion_begins != nullptr) {
            hooks.completion_begins(code, barrier);
        }
        completion.call(completion.argument);
        if (hooks.arrival != nullptr) hooks.arrival(*running_worker, code, barrier, true);
    }
    advance_phase(barrier, false);
    return before;
}

void barrier_expect(std::uint64_t* barrier, std::int32_t bytes) noexcept {
    const void* const code = __builtin_return_address(0);
    check_initialised(barrier, code);
    add_transactions(barrier, bytes);
    advance_phase(barrier, false);
}

void barrier_wait(std::uint64_t* barrier, bool parity) noexcept {
    const void* const code = __builtin_return_address(0);
    check_initialised(barrier, code);
    if (hooks.wait_begins != nullptr && !hooks.wait_begins(*running_worker, code)) return;
    while (!has_ended(barrier, parity)) {
        suspend_until_end(barrier, parity, code, false);
    }
    if (hooks.wait_ended != nullptr) {
        hooks.wait_ended(code, barrier, running_worker->async().last_phase(barrier));
    }
}

void note_release(const void* object) noexcept {
    if (hooks.arrival == nullptr) return;
    hooks.arrival(*running_worker, __builtin_return_address(0),
                  static_cast<const std::uint64_t*>(object), false);
}

void note_acquire(const void* object) noexcept {
    if (hooks.completion_begins == nullptr) return;
    hooks.completion_begins(__builtin_return_address(0), static_cast<const std::uint64_t*>(object));
}

void let_others_run() noexcept { let_others_run_at(__builtin_return_address(0), nullptr); }

void let_others_run_at(const void* code, std::uint64_t* barrier) {
    if (hooks.wait_begins != nullptr) hooks.wait_begins(*running_worker, code);
    suspend_until_end(barrier, false, code, true);
}

bool barrier_test(std::uint64_t* barrier, bool parity) noexcept {
    const void* const code = __builtin_return_address(0);
    check_initialised(barrier, code);
    if (hooks.wait_begins != nullptr && !hooks.wait_begins(*running_worker, code)) return true;
    if (!has_ended(barrier, parity)) {
        suspend_until_end(barrier, parity, code, true);
        if (!has_ended(barrier, parity)) return false;
    }
    if (hooks.wait_ended != nullptr) {
        hooks.wait_ended(code, barrier, running_worker->async().last_phase(barrier));
    }
    return true;
}

// ---- Named barriers

namespace {

constexpr std::uint64_t kNamedMark = std::uint64_t{3} << 62;  // no mbarrier

void refuse_named_barrier(const void* code, const char* what) {
    refuse_call(
        cudaErrorLaunchFailure, code, what,
        "PTX ISA, \"bar\": barriers 0 to 15, each with the number of threads that arrive or "
        "wait there, a multiple of 32, and the same in all calls until it is complete");
}

// Returns the barrier, which expects `count` threads.
std::uint64_t* named_barrier(std::uint64_t* words, unsigned int id, unsigned int count,
                             const void* code) {
    Worker& worker = *running_worker;
    const auto threads = static_cast<unsigned int>(worker.threads().size());
    if (count == kWholeBlock) count = threads;
    if (id >= kNamedBarriers) refuse_named_barrier(code, "uses a barrier above number 15");
    if (count == 0 || (count % kWarpSize != 0 && count != threads)) {
        refuse_named_barrier(code,
                             "uses a barrier with a number of threads that is no multiple of 32");
    }
    if (count > (threads + kWarpSize - 1) / kWarpSize * kWarpSize) {
        refuse_named_barrier(code, "uses a barrier with more threads than the block has");
    }
    if (hooks.arrival != nullptr) hooks.arrival(worker, code, words + id, false);
    NamedBarriers& named = worker.async().named;
    if (named.words == nullptr) {
        named.words = words;
        std::fill(words, words + kNamedBarriers, kNamedMark);
    }
    std::uint64_t* const barrier = words + id;
    count = std::min(count, threads);
    if (pending_of(*barrier) == expected_of(*barrier)) {
        *barrier = with_pending(with_expected(*barrier, count), count);
    }
    if (expected_of(*barrier) != count) {
        refuse_named_barrier(code,
                             "uses a barrier with another number of threads than those that are "
                             "there: two uses mix");
    }
    if (named.arrived[id][current_thread->linear_index]) {
        refuse_named_barrier(code, "arrives twice at a barrier that is not complete: two uses mix");
    }
    named.arrived[id].set(current_thread->linear_index);
    *barrier = with_pending(*barrier, pending_of(*barrier) - 1);
    if (pending_of(*barrier) == 0) named.arrived[id].reset();
    return barrier;
}

}  // namespace

void arrive_at_named_barrier(std::uint64_t* words, unsigned int id, unsigned int count) noexcept {
    advance_phase(named_barrier(words, id, count, __builtin_return_address(0)), false);
}

void sync_named_barrier(std::uint64_t* words, unsigned int id, unsigned int count) noexcept {
    const void* const code = __builtin_return_address(0);
    if (hooks.wait_begins != nullptr && !hooks.wait_begins(*running_worker, code)) return;
    std::uint64_t* const barrier = named_barrier(words, id, count, code);
    const bool parity = parity_of(*barrier);
    advance_phase(barrier, false);
    // Others may begin and end the next phase before this thread goes on.
    if (parity_of(*barrier) == parity) suspend_until_end(barrier, parity, code, false);
    if (hooks.wait_ended != nullptr) {
        hooks.wait_ended(code, barrier, running_worker->async().last_phase(barrier));
    }
}

}  // namespace emulator
