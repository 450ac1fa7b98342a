// SPDX-License-Identifier: MIT
// Quicksort: int32 keys into non-decreasing order. Inputs, files, oracle and main() are shared with
// the other sorting chapter (common/sorting/sort_problem.hpp). A stage that sorts pairs defines
// QUICKSORT_PAIRS before it includes anything: its keys, and those of its headers, are pairs of a
// key and a value (common/sorting/pair_problem.hpp).
#pragma once

#include <string_view>
#include <vector>

#include "common/harness/phase_timer.hpp"
#include "common/sorting/pair_problem.hpp"
#include "common/sorting/sort_problem.hpp"

namespace quicksort {

using course::Phase;
using course::PhaseTimer;
#if defined(QUICKSORT_PAIRS)
using Key = course::sorting::Pair;
using Input = course::sorting::PairInput;
using Output = course::sorting::PairOutput;
#else
using course::sorting::Input;  // span<const Key> keys, int64_t count(), options
using course::sorting::Key;
using course::sorting::Output;  // span<Key> keys, report
#endif
using course::sorting::LargestN;
using course::sorting::Option;
using course::sorting::SortKeys;
using course::sorting::SortPairs;

// main() of every stage. `largest_n` gives the most keys that the stage can sort on the current
// device; nullptr: as many as fit memory. A run that needs more device memory than there is ends
// before it allocates. Returns the exit status (error.hpp).
int run_stage(int argc, char** argv, std::string_view stage_name, SortKeys sort_keys,
              LargestN largest_n = nullptr, const std::vector<Option>& options = {},
              double device_bytes_per_key = 8);

// The same for pairs.
int run_stage(int argc, char** argv, std::string_view stage_name, SortPairs sort_pairs,
              const std::vector<Option>& options, double device_bytes_per_pair);

}  // namespace quicksort
