// SPDX-License-Identifier: MIT
// EMULATOR_SKIP=FILE:LINE: a barrier or __syncwarp() of this line does nothing.
// EMULATOR_SHIFT=FILE:LINE: each access of this line is checked as if it were to the next element.
#pragma once

#include "common/emulator/counting/record/request.hpp"

namespace emulator::counting {

// Reads both settings. One that is no line ends the program.
void read_chosen_lines();
// Whether the barrier whose call returns to `code` is to be skipped.
bool is_skipped(const void* code);
// Whether the accesses of a place are to be checked as if they were to the next element.
bool is_shifted(PlaceId place);
// At the end of the program, if a line was never reached. Otherwise a wrong line would look like
// one that is not needed.
void warn_of_lines_not_reached();

}  // namespace emulator::counting
