// SPDX-License-Identifier: MIT
// Connects the checks with the engine.
#pragma once

namespace emulator::counting {

// Called once, before the first kernel: sets the engine's hooks of memory and streams, and ensures
// that a program with findings does not end with exit status 0.
void attach_checks();

}  // namespace emulator::counting
