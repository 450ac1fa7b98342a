// SPDX-License-Identifier: MIT
// The keys that the sorting chapters sort: named inputs, and files of keys.
#pragma once

#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/sorting/key.hpp"

namespace course::sorting {

// The named inputs: key i of n, of the whole range unless stated otherwise. Those marked * are the
// sorting benchmarks of Helman, Bader and JaJa (1998). They imagine p = kProcessors processors that
// each hold n / p consecutive keys. Their range, 0 to 2^31 - 1, is stretched to the int32 range:
//   uniform        * every key equally probable
//   gaussian       * the mean of four uniform keys
//   sorted           non-decreasing, evenly spaced from INT_MIN to INT_MAX
//   reverse          non-increasing: sorted backwards
//   nearly-sorted    sorted, but one key in 100 (at random) is replaced by a uniform key
//   few-unique       eight different keys, equally probable
//   all-equal      * one key, n times (theirs is zero; ours depends on the seed)
//   zipf             the r-th most frequent of 2^20 - 1 keys has probability proportional to 1/r
//   bucket         * each processor's keys lie in p buckets of equal width, in order: its part t
//                    of p is uniform within bucket t
//   staggered      * processor i holds only keys of one bucket: 2i + 1 if i < p/2, else 2i - p
//   g-group        * processors in groups of g = kGroup; part t of g of each processor in group j
//                    is uniform within bucket (j g + p/2 + t) mod p
//   deterministic-duplicates  * the first half of the processors holds log2 n, the next quarter
//                    log2(n/2), and so on; the last processor continues the halving key by key
//   permutation      0 to n - 1 in random order (above 2^31 keys: from INT_MIN on)
//   organ-pipe       rises to INT_MAX in the middle, and falls again
//   bit-reversed     evenly spaced, in the order of their numbers' reversed bits: any range of
//   places
//                    has keys from the whole range
//   values-30, values-255, values-500   so many different keys, equally probable
//   one-heavy        seven keys of eight are equal, the others uniform
//   anded            the bits that three uniform words have in common: small parts of the range are
//                    crowded at every scale (Thearling and Smith 1992)
// Keys as they come from elsewhere:
//   exponential-sizes  +k or -k, where k from 1 to 2^31 - 1 has a probability proportional to 1/k:
//                    each order of magnitude is as frequent as any other
//   stairs-up-K, stairs-down-K, stairs-shuffled-K  steps of K equal keys, K from 2 to 65536: evenly
//                    spaced, backwards, or in random order
//   sawtooth         100 times from INT_MIN to INT_MAX
//   clusters         256 clusters at random places, uniform within random widths of 1 to 2^24
//   zipf-half, zipf-three-halves, zipf-two  as zipf, with a probability proportional to
//                    r^(-1/2), r^(-3/2), r^(-2)
//   normal-floats    the bits of normally distributed floats, as integers
//   time-stamps      the lower 32 bits of the microseconds of one day: evenly spaced events, each
//                    up to one millisecond late
//   networks         IPv4 addresses in 15 networks of random sizes, /24 to /8, of which the r-th
//                    has a probability proportional to 1/r
//   heavy-ends       nine keys of twenty are INT_MIN, nine INT_MAX, the others uniform
//   one-other        all keys are equal but one
inline constexpr std::string_view kInputNames[] = {"uniform",
                                                   "gaussian",
                                                   "sorted",
                                                   "reverse",
                                                   "nearly-sorted",
                                                   "few-unique",
                                                   "all-equal",
                                                   "zipf",
                                                   "bucket",
                                                   "staggered",
                                                   "g-group",
                                                   "deterministic-duplicates",
                                                   "permutation",
                                                   "organ-pipe",
                                                   "bit-reversed",
                                                   "values-30",
                                                   "values-255",
                                                   "values-500",
                                                   "one-heavy",
                                                   "anded",
                                                   "exponential-sizes",
                                                   "stairs-up-4096",
                                                   "stairs-down-4096",
                                                   "stairs-shuffled-4096",
                                                   "stairs-shuffled-64",
                                                   "sawtooth",
                                                   "clusters",
                                                   "zipf-half",
                                                   "zipf-three-halves",
                                                   "zipf-two",
                                                   "normal-floats",
                                                   "time-stamps",
                                                   "networks",
                                                   "heavy-ends",
                                                   "one-other"};
// For merges, of kProcessors runs that are sorted already, in the order of their places:
//   interleaved-runs each run takes every 64th of all keys, so that each part of a merge takes from
//                    all runs alike
//   one-sided        each run's keys are less than those of the runs before it, so that a merge
//                    takes one run after the other
inline constexpr std::string_view kMergeInputNames[] = {"interleaved-runs", "one-sided"};
inline constexpr int kProcessors = 64;
inline constexpr int kGroup = 8;

bool is_input_name(std::string_view name);  // also any stairs
std::string all_input_names();  // "uniform, gaussian, ...", for --help and errors

// Fills `keys` with the named input, on all cores. The keys depend only on name, seed and n, not on
// the machine or its number of cores.
// Errors: UsageError for an unknown name, and for a permutation of more than 2^32 keys.
void make_keys(std::string_view name, std::uint64_t seed, std::span<Key> keys);

// A file whose name ends in .i32 holds raw little-endian int32. Any other file is text: integers
// separated by blanks, commas, semicolons or line breaks (common/input/text_reader.hpp).
bool is_raw_name(std::string_view path);

// Errors: InputError that names the file and, for text, the line: a missing file, a directory, no
// key, not an integer, outside int32, a raw size that is not a multiple of 4.
std::vector<Key> read_keys(const std::string& path);

// The inverse. Text has one key per line.
void write_keys(std::ostream& out, std::span<const Key> keys, bool raw);

}  // namespace course::sorting
