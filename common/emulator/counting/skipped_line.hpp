// SPDX-License-Identifier: MIT
// EMULATOR_SKIP=FILE:LINE: a barrier or __syncwarp() of this line does nothing.
#pragma once

namespace emulator::counting {

// Whether the barrier whose call returns to `code` is to be skipped.
bool is_skipped(const void* code);
// At the end of the program, if the line was never reached. Otherwise a wrong line would look like
// a line that is not needed.
void warn_if_nothing_skipped();

}  // namespace emulator::counting
