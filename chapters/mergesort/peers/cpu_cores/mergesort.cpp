// SPDX-License-Identifier: MIT
// Merge sort, stage peers/cpu_cores: libstdc++'s parallel stable sort, on all cores.
// Idea: one call. Each core sorts a part by std::stable_sort, a merge sort. Where the parts are to
// be cut is searched exactly, and each core merges its share of all parts (Singler, Sanders and
// Putze, "MCSTL: The Multi-Core Standard Template Library", 2007).
// Compared with 00_cpu: a library's sort, and all cores. Equal keys keep their order, too.
// Limit now: the branches of the merges on each core.
// Not of the thesis.
#include "problem/mergesort.hpp"

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <parallel/algorithm>

using mergesort::Input, mergesort::Output, mergesort::Phase, mergesort::PhaseTimer;

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    timer.begin(Phase::kCopyIn);
    std::copy(input.keys.begin(), input.keys.end(), output.keys.begin());

    timer.begin(Phase::kKernels);
    __gnu_parallel::stable_sort(output.keys.begin(), output.keys.end());
    timer.end();
    timer.note_grid(1, omp_get_max_threads());
    timer.declare_work({.bytes = 8.0 * count});  // each key read and written once
}

int main(int argc, char** argv) { return mergesort::run_stage(argc, argv, STAGE_NAME, sort_keys); }
