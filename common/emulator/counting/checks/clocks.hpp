// SPDX-License-Identifier: MIT
// Times that the host takes without the kernel that it wants to measure: a launch returns before
// the kernel has run.
#pragma once

namespace emulator::counting {

// Call it on the thread whose readings are looked at.
void watch_clocks();
// RecordHooks::note_clock.
void note_clock();
// At the end of the program.
void report_early_clock();

}  // namespace emulator::counting
