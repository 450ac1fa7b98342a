// SPDX-License-Identifier: MIT
// Multisort (after Herrero and Troiani 2024): runs of size_i keys by insertion sort, then merges.
// Its flags, its grid, and the bytes that its kernels move at least.
#pragma once

#include <cstdint>

#include "problem/mergesort.hpp"

namespace mergesort {

using course::Work;
using course::sorting::Option;

// --size-i: keys per insertion sort, at least 1 and at most n.
Option size_i_option(std::int64_t value);

// --threads: threads per block, 1 to 1024, by default 32.
Option threads_option();

// How many levels of merges turn runs of size_i keys into one run; each level doubles their length.
int merge_levels(std::int64_t count, std::int64_t size_i);

// Bytes of global memory that stages multisort/02 to 04 move at least. The insertion sorts read
// each key and write all but the first key of a run; they do nothing if a run is one key. Each
// level of merges reads and writes every key, also in a run without a partner. The reads of the
// searches are not counted: a cache may serve them.
Work multisort_work(std::int64_t count, std::int64_t size_i);

// How many blocks of block_size threads give each of `items` one thread. Errors: UsageError if a
// grid cannot have so many blocks.
int blocks_for(std::int64_t items, std::int64_t block_size);

}  // namespace mergesort
