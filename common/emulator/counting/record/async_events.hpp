// SPDX-License-Identifier: MIT
// Recording of asynchronous copies and mbarriers. Unlike an access, they have more than one
// operand: the others are in the words that hold the value of a store.
#pragma once

#include <cstdint>

#include "common/emulator/counting/record/event.hpp"
#include "common/emulator/engine/async/async_work.hpp"

namespace emulator::counting {

// The words of an event, by lane. Of a copy the operand is the address of the source, or 0 where a
// part of a tensor copy lies outside of the tensor. A tensor copy is an event for each part.
struct CopyWords {
    std::uint64_t destination;
    std::uint32_t bytes;
    std::uint32_t other;  // bytes that are read; of a bulk load: its number in the block
};
// Of a step of a phase the operand is the address of the object.
struct PhaseWords {
    std::uint64_t phase;  // of a wait: the phase that has ended; of a write: the new state
    std::uint64_t is_barrier;  // the object is an mbarrier, which is accessed as a whole
};
static_assert(sizeof(CopyWords) == 4 * Words::kPerLane && sizeof(PhaseWords) == sizeof(CopyWords));

// The running thread does it; `code` is the return address of its call. Memory that it must not
// access ends the kernel with a finding.
void record_copy(const void* code, const AsyncCopy& copy, CopySort sort, std::uint64_t number);
void record_copy_wait(const void* code, CopySort sort, std::uint64_t end);
void record_phase_step(const void* code, PhaseStep step, const std::uint64_t* barrier,
                       PhaseWords words);
void record_proxy_fence(const void* code);

}  // namespace emulator::counting
