// SPDX-License-Identifier: MIT
// Which GPUs can run a stage. Most stages run on all that nvcc compiles for.
#pragma once

namespace course {

struct NeededGpu {
    int capability = 0;  // at least: 90 is compute capability 9.0
    const char* text = "";  // the same in words, to follow "needs"
};

// Of the stage that is linked in. Its executables have their own, from the key minimum_sm of the
// stage's record.
NeededGpu needed_gpu();

}  // namespace course
