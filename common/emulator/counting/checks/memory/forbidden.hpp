// SPDX-License-Identifier: MIT
// Memory that exists and that a thread may not use in this way: constant memory is not written,
// local memory is one thread's own, and what a kernel writes is not loaded as read-only. Also how a
// block ends whose thread has made an access that no GPU makes.
#pragma once

#include <cstdint>

#include "common/emulator/counting/checks/memory/shadow.hpp"
#include "common/emulator/counting/output/findings.hpp"
#include "common/emulator/counting/record/record_hooks.hpp"

namespace emulator::counting {

// Set by the checks of races: whether the running thread has read shared memory that its block has
// not written yet.
inline bool (*has_read_unwritten)(Worker& worker) = nullptr;
// Whether the cause of a wrong access may show first, as a race: the other threads run on until one
// of them writes what this thread has read too early.
bool must_wait(Worker& worker);
// At the end of the block.
void report_later(Finding finding);
void report_waiting();
[[noreturn]] void end_block(Worker& worker, bool waits);

// The running thread writes the range, which is constant. Ends its block.
[[noreturn]] void report_constant_write(Worker& worker, const Range& range, unsigned size,
                                        Operation operation, const void* code);
// RecordHooks::refuse_local: the running thread uses the stack of another one. Ends its block.
void report_foreign_local(unsigned size, Operation operation, const void* code);
// A load by __ldg() of a word that a thread of the same kernel has written before.
void report_stale_load(Worker& worker, int thread, PlaceId place, std::int64_t writing_block,
                       const Cell& cell);

}  // namespace emulator::counting
