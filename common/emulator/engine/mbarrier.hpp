// SPDX-License-Identifier: MIT
// mbarrier objects, for the asynchronous copies that they track.
#pragma once

#include <cstdint>
#include <emulator/async/mbarrier.hpp>

namespace emulator {

// Ends the barrier's phase if nothing is missing. Work that the barrier tracks ends first, if
// nothing else is missing and somebody waits: the caller (`awaited`), or another thread.
void advance_phase(std::uint64_t* barrier, bool awaited);
// One arrival more in this phase only.
void grow_pending_count(std::uint64_t* barrier, const void* code);
// let_others_run() for a call at `code`. `barrier`: what it waits for (PhaseWaiter).
void let_others_run_at(const void* code, std::uint64_t* barrier);
// Refuses an address that no barrier can have.
void check_barrier_word(const std::uint64_t* barrier, const void* code);

}  // namespace emulator
