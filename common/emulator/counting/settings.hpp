// SPDX-License-Identifier: MIT
// What a program with counters writes, and what it checks. This is the counting engine's public
// header: backends and tests need no other.
#pragma once

#include <cstdint>
#include <string>

#include "common/emulator/counting/record/sampling.hpp"

namespace emulator::counting {

struct Options {
    bool races = true;  // EMULATOR_RACES: on or off
    // EMULATOR_FINDINGS: all, or first: the program ends after the first block with a finding that
    // is no warning.
    bool first_finding_ends = false;
    // EMULATOR_COUNTERS: a file for the counters as JSON, - for the standard output, or none for no
    // output. If it is empty, a table is written to the standard error output.
    std::string counters;
    // EMULATOR_BUDGET: accesses of single threads (and basic blocks) after which only a sample of
    // the blocks is counted and checked (sampling.hpp); 0: no limit.
    std::uint64_t budget = kDefaultBudget;
    bool budget_is_chosen = false;  // by the environment
    std::string trace;  // EMULATOR_TRACE: a file for every access as CSV; empty: no trace
    // EMULATOR_VIEW: a file for what `make view` draws (output/view.hpp); empty: none.
    std::string view = {};
};

// The options from the environment, or those of the last configure().
const Options& options();
// Must be called before the first kernel.
void configure(const Options& options);

}  // namespace emulator::counting
