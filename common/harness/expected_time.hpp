// SPDX-License-Identifier: MIT
// How long a run will take, said or refused before it starts.
#pragma once

#include <string>
#include <string_view>

#include "common/harness/problem.hpp"

namespace course {

// About how many seconds the runs take that `options` ask for, with their verification. 0: unknown.
// The problem is prepared.
double expected_seconds(const Problem& problem, std::string_view engine,
                        const StageOptions& options);

// "2 minutes", "3 hours", "40 years": one digit is as much as the estimate is worth.
std::string format_duration(double seconds);

// Errors: UsageError for a run of more than an hour without --force. A run of more than a minute is
// announced on stderr, unless --quiet is given.
void refuse_endless_run(const Problem& problem, std::string_view engine,
                        const StageOptions& options, std::string_view stage_name);

}  // namespace course
