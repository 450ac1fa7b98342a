// SPDX-License-Identifier: MIT
// Merge sort: int32 keys into non-decreasing order. Inputs, files, oracle and main() are shared
// with the other sorting chapter (common/sorting/sort_problem.hpp).
#pragma once

#include <string_view>
#include <vector>

#include "common/harness/phase_timer.hpp"
#include "common/sorting/sort_problem.hpp"

namespace mergesort {

using course::Phase;
using course::PhaseTimer;
using course::sorting::Input;  // span<const Key> keys, int64_t count(), options
using course::sorting::Key;
using course::sorting::LargestN;
using course::sorting::Option;
using course::sorting::Output;  // span<Key> keys, report
using course::sorting::SortKeys;

// main() of every stage. `largest_n` gives the most keys that the stage can sort on the current
// device; nullptr: as many as fit memory. A run that needs more device memory than there is ends
// before it allocates. Returns the exit status (error.hpp).
int run_stage(int argc, char** argv, std::string_view stage_name, SortKeys sort_keys,
              LargestN largest_n = nullptr, const std::vector<Option>& options = {},
              double device_bytes_per_key = 8);

}  // namespace mergesort
