// SPDX-License-Identifier: MIT
#include "problem/mergesort.hpp"

namespace mergesort {

int run_stage(int argc, char** argv, std::string_view stage_name, SortKeys sort_keys,
              LargestN largest_n, const std::vector<Option>& options, double device_bytes_per_key) {
    return course::sorting::run_sort(argc, argv, stage_name,
                                     {.chapter = "mergesort",
                                      .summary = "Merge sort: int32 keys in order",
                                      .sort_keys = sort_keys,
                                      .largest_n = largest_n,
                                      .options = options,
                                      .device_bytes_per_key = device_bytes_per_key});
}

}  // namespace mergesort
