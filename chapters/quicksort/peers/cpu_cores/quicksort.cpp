// SPDX-License-Identifier: MIT
// Quicksort, stage peers/cpu_cores: the parallel sort of libstdc++, on all cores of the CPU.
// Idea: one call. Each core sorts a part by std::sort. Samples of the parts tell which keys go to
// which core, and each core merges what it gets from all parts (Singler, Sanders and Putze, "MCSTL:
// The Multi-Core Standard Template Library", 2007).
// Compared with 00_cpu: a library's sort, and all cores.
// Limit now: the branches of std::sort, whose pivots are compared with each key.
// Not of the thesis.
#include "problem/quicksort.hpp"

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <parallel/algorithm>

using quicksort::Input, quicksort::Output, quicksort::Phase, quicksort::PhaseTimer;

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    timer.begin(Phase::kCopyIn);
    std::copy(input.keys.begin(), input.keys.end(), output.keys.begin());

    timer.begin(Phase::kKernels);
    __gnu_parallel::sort(output.keys.begin(), output.keys.end());
    timer.end();
    timer.note_grid(1, omp_get_max_threads());
    timer.declare_work({.bytes = 8.0 * count});  // each key read and written once
}

int main(int argc, char** argv) { return quicksort::run_stage(argc, argv, STAGE_NAME, sort_keys); }
