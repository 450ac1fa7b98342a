// SPDX-License-Identifier: MIT
// What lies at an address that a kernel uses, and whether the kernel may use it.
#pragma once

#include <cstdint>
#include <string>

#include "common/emulator/counting/record/record_hooks.hpp"
#include "common/emulator/counting/record/source_lines.hpp"

namespace emulator::counting {

// RecordHooks::locate.
Range locate(std::uintptr_t address, unsigned size, Operation operation, const void* code);

// The range that holds the address, for the block that the worker runs. If there is none, a range
// of 0 bytes.
Range find_range(const Worker& worker, std::uintptr_t address);
// Reports an access that lies in no range, or only partly in one. `waits`: its cause may show
// first, and report_waiting() follows at the end of the block.
void report_outside(Worker& worker, int thread, std::uintptr_t address, unsigned size,
                    Operation operation, SourceLine line, bool waits = false);
// "byte 12 of s_tile", or "byte 12 of the dynamic shared memory".
std::string describe_shared(const Worker& worker, std::uintptr_t address);

// A block starts: its shared memory may differ from that of the block before.
void enter_block(const Worker& worker);

// Set by the checks of races: a use of freed memory that nothing orders with its release is a race,
// and is reported as one. The result tells whether it is.
inline bool (*report_race_with_release)(Worker& worker, int thread, std::uintptr_t address,
                                        Operation operation, const SourceLine& line) = nullptr;
}  // namespace emulator::counting
