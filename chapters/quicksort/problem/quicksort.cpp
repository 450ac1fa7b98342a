// SPDX-License-Identifier: MIT
#include "problem/quicksort.hpp"

#include "common/harness/problem.hpp"

namespace quicksort {

int run_stage(int argc, char** argv, std::string_view stage_name, SortKeys sort_keys,
              LargestN largest_n, const std::vector<Option>& options) {
    return course::run_problem(argc, argv, stage_name, [&] {
        return std::make_unique<course::sorting::SortProblem>(
            course::sorting::SortStage{.chapter = "quicksort",
                                       .summary = "Quicksort: int32 keys in order",
                                       .sort_keys = sort_keys,
                                       .largest_n = largest_n,
                                       .options = options});
    });
}

}  // namespace quicksort
