// SPDX-License-Identifier: MIT
#include "problem/quicksort.hpp"

namespace quicksort {

int run_stage(int argc, char** argv, std::string_view stage_name, SortKeys sort_keys,
              LargestN largest_n, const std::vector<Option>& options, double device_bytes_per_key) {
    return course::sorting::run_sort(argc, argv, stage_name,
                                     {.chapter = "quicksort",
                                      .summary = "Quicksort: int32 keys in order",
                                      .sort_keys = sort_keys,
                                      .largest_n = largest_n,
                                      .options = options,
                                      .device_bytes_per_key = device_bytes_per_key});
}

int run_stage(int argc, char** argv, std::string_view stage_name, SortPairs sort_pairs,
              const std::vector<Option>& options, double device_bytes_per_pair) {
    return course::sorting::run_pair_sort(
        argc, argv, stage_name,
        {.chapter = "quicksort",
         .summary = "Quicksort: pairs of an int32 key and a value, in the order of their keys",
         .options = options,
         .device_bytes_per_key = device_bytes_per_pair},
        sort_pairs);
}

}  // namespace quicksort
