// SPDX-License-Identifier: MIT
// What a program's end has to say, and the exit status of a program that hides its mistakes.
#pragma once

namespace emulator {

// Calls the function when the program ends, after everything that was registered later. If it
// returns true, an exit status of 0 becomes 1.
void check_at_exit(bool (*has_failed)());

}  // namespace emulator
