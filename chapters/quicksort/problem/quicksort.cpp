// SPDX-License-Identifier: MIT
#include "problem/quicksort.hpp"

#include "common/harness/stage.hpp"

namespace quicksort {

int run_stage(int argc, char** argv, std::string_view stage_name, SortKeys sort_keys,
              LargestN largest_n, const std::vector<Option>& options) {
    course::sorting::SortProblem problem({.chapter = "quicksort",
                                          .summary = "Quicksort: int32 keys in order",
                                          .sort_keys = sort_keys,
                                          .largest_n = largest_n,
                                          .options = options});
    return course::run_stage(argc, argv, stage_name, problem);
}

}  // namespace quicksort
