// SPDX-License-Identifier: MIT
// What the states of cuRAND's pseudorandom generators have in common: a Box-Muller transform gives
// two numbers, and the second one waits in the state for the next call.
#pragma once

namespace emulator {

// Which of a pair's two values waits in boxmuller_extra: 0 none.
enum BoxMullerExtra { kNoExtra = 0, kNormalExtra = 1, kLogNormalExtra = 2 };

template <class State>
void clear_box_muller(State* state) {
    state->boxmuller_flag = kNoExtra;
    state->boxmuller_flag_double = kNoExtra;
    state->boxmuller_extra = 0.0f;
    state->boxmuller_extra_double = 0.0;
}

}  // namespace emulator
