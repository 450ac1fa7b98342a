// SPDX-License-Identifier: MIT
// Makes counting the observer of this process' kernels.
#pragma once

namespace emulator::counting {

// Called by each instrumented file before its static initialisation; acts once.
void attach();

}  // namespace emulator::counting
