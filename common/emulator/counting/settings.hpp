// SPDX-License-Identifier: MIT
// What a program whose accesses are counted writes, and what it checks.
#pragma once

#include <string>

#include "common/emulator/counting/places.hpp"

namespace emulator::counting {

struct Options {
    bool races = true;  // EMULATOR_RACES: on or off
    // EMULATOR_COUNTERS: a file for the counters as JSON, - for the standard output, none for
    // nothing; empty: a table on the standard error output.
    std::string counters;
    std::string trace;  // EMULATOR_TRACE: a file for every access as CSV; empty: none
};

// What the environment says, or the last configure().
const Options& options();
// Before the first kernel.
void configure(const Options& options);

// EMULATOR_SKIP=FILE:LINE: a barrier or __syncwarp() of this line does nothing. Line 0: none.
const SourceLine& skipped_line();

}  // namespace emulator::counting
