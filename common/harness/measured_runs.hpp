// SPDX-License-Identifier: MIT
// Runs a prepared problem: once to verify it, or several times to measure it. All ranks call these
// functions together. Rank 0 alone verifies.
#pragma once

#include <string>
#include <string_view>

#include "common/harness/command_line.hpp"
#include "common/harness/problem.hpp"
#include "common/harness/results.hpp"

namespace course {

// The output is poisoned before each run. Errors of both: what the problem throws.
void run_once(Problem& problem, Backend& backend);

// One run, verified and not timed. The results hold the verdict only. Errors: also
// WrongResultError.
Results check(Problem& problem, Backend& backend);

// Reads the result that another process saved at `path`, and verifies it. Nothing is run. Errors:
// InputError for a file that cannot be such a result; WrongResultError.
Results judge(Problem& problem, Backend& backend, const std::string& path);

// Verifies a first run, warms up, times the repeats and verifies the last of them. Errors: also
// WrongResultError; LimitError for a repeat that is faster than the device can be.
Results measure(Problem& problem, Backend& backend, const StageOptions& options,
                std::string_view stage_name);

}  // namespace course
