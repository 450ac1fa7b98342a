// SPDX-License-Identifier: MIT
// The mbarrier object of the PTX ISA ("Parallel Synchronization and Communication Instructions:
// mbarrier"), of which cuda::barrier, cuda::pipeline and __mbarrier_t are made. It is one word of 8
// bytes. A wait blocks the thread, it does not spin.
#pragma once

#include <cstdint>

namespace emulator {

// What PTX allows: 2^20 - 1 arrivals.
constexpr std::uint32_t kMaxBarrierCount = (1u << 20) - 1;

void barrier_init(std::uint64_t* barrier, std::uint32_t count) noexcept;
// The same for a barrier of the engine's own, by whichever thread comes first. No observer sees it.
void barrier_prepare(std::uint64_t* barrier, std::uint32_t count) noexcept;
void barrier_invalidate(std::uint64_t* barrier) noexcept;

// Called by the last thread that arrives, before the phase ends.
struct PhaseCompletion {
    void (*call)(void* argument) = nullptr;
    void* argument = nullptr;
};

// Arrives `count` times, after the pending transactions have grown by `transactions` bytes. `drop`:
// later phases expect so many arrivals less. The result is the state before the arrival.
std::uint64_t barrier_arrive(std::uint64_t* barrier, std::uint32_t count,
                             std::uint32_t transactions = 0, bool drop = false,
                             PhaseCompletion completion = {}) noexcept;
// The pending transactions grow, or shrink, by `bytes`.
void barrier_expect(std::uint64_t* barrier, std::int32_t bytes) noexcept;

// Waits until the phase of this parity (0: the first one) has ended.
void barrier_wait(std::uint64_t* barrier, bool parity) noexcept;
// Whether it has ended. If not, other threads run first, so that a loop of tests comes to an end.
bool barrier_test(std::uint64_t* barrier, bool parity) noexcept;

// Whether a word of shared memory is an initialised barrier.
constexpr bool is_barrier(std::uint64_t state) { return state >> 62 == 2; }

// For atomic objects by which threads of a block tell each other something. What a thread did
// before note_release() comes before what another thread does after a later note_acquire() of the
// address.
void note_release(const void* object) noexcept;
void note_acquire(const void* object) noexcept;
// In a loop that waits for other threads of the block: lets them run as far as they can.
void let_others_run() noexcept;

// The parity of a state's phase, and how many arrivals it still expected.
constexpr bool parity_of(std::uint64_t state) { return (state >> 61 & 1) != 0; }
constexpr std::uint32_t pending_of(std::uint64_t state) {
    return static_cast<std::uint32_t>(state & kMaxBarrierCount);
}

}  // namespace emulator
