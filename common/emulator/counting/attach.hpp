// SPDX-License-Identifier: MIT
// Makes counting the observer of this process' kernels.
#pragma once

namespace emulator::counting {

// Called by each instrumented file before its static initialisation; acts once.
void attach();

// A thread has entered a function that the launch calls, the first of its block; `code` lies in it.
// False: it is not the kernel, but copies an argument.
bool name_kernel(const void* code);

}  // namespace emulator::counting
