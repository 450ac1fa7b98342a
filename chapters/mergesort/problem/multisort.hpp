// SPDX-License-Identifier: MIT
// Multisort (stages 07 to 10, of seed 003): runs of size_i keys by insertion sort, then merges. Its
// flags, its grid, and the least that its kernels move.
#pragma once

#include <cstdint>

#include "problem/mergesort.hpp"

namespace mergesort {

using course::Work;
using course::sorting::Option;

// --size-i: keys that one insertion sort takes, at least 1 and at most n.
Option size_i_option(std::int64_t value);

// --threads: of a block, 1 to 1024; 32 unless said otherwise.
Option threads_option();

// Levels of merges that make one run of runs of size_i keys, their length doubled each time.
int merge_levels(std::int64_t count, std::int64_t size_i);

// Bytes of global memory that stages 08 to 10 move at least. The insertion sorts read each key and
// write all but the first of a run (none where a run is one key); a level of merges reads and
// writes every key, a run without a partner too. What a merge path's searches read is not counted:
// a cache may have it.
Work multisort_work(std::int64_t count, std::int64_t size_i);

// Blocks of block_size threads that give `items` a thread each. Errors: UsageError where a grid
// cannot have so many.
int blocks_for(std::int64_t items, std::int64_t block_size);

}  // namespace mergesort
