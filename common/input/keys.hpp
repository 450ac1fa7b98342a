// SPDX-License-Identifier: MIT
// The keys that the sorting chapters sort: named inputs, and files of keys.
#pragma once

#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace course::sorting {

using Key = std::int32_t;  // the whole range: INT_MIN and INT_MAX are keys as any other

// Key i of n, of the whole range unless something else is said. Those marked * are the sorting
// benchmarks of Helman, Bader and JaJa (1998), for kProcessors imagined processors that hold n / p
// consecutive keys each, their range 0 to 2^31 - 1 stretched to the whole int32 range:
//   uniform        * every key equally probable
//   gaussian       * the mean of four uniform keys
//   sorted           non-decreasing, evenly spaced from INT_MIN to INT_MAX
//   reverse          sorted, backwards
//   nearly-sorted    sorted, but one key in 100 (at random) is uniform instead
//   few-unique       eight different keys, equally probable
//   all-equal      * one key, n times (theirs is zero, ours depends on the seed)
//   zipf             the r-th most frequent of 2^20 - 1 keys has probability proportional to 1/r
//   bucket         * each processor's keys lie in p buckets of equal width, in order: its part t
//                    of p is uniform within bucket t
//   staggered      * processor i < p/2 holds only keys of bucket 2i + 1, another of bucket 2i - p
//   g-group        * processors in groups of kGroup; part t of g of each one in group j is uniform
//                    within bucket (j g + p/2 + t) mod p
//   deterministic-duplicates  * the first half of the processors holds log2 n, the next quarter
//                    log2(n/2), and so on; within the last processor the halving goes on by keys
//   permutation      0 to n - 1 in random order (above 2^31 keys: from INT_MIN on)
inline constexpr std::string_view kInputNames[] = {
    "uniform",    "gaussian", "sorted", "reverse",   "nearly-sorted", "few-unique",
    "all-equal",  "zipf",     "bucket", "staggered", "g-group",       "deterministic-duplicates",
    "permutation"};
inline constexpr int kProcessors = 64;
inline constexpr int kGroup = 8;

std::string all_input_names();  // "uniform, gaussian, ...", for --help and errors

// Fills `keys` with the named input, on all cores. The keys depend on name, seed and n only: not on
// the machine, nor on its number of cores.
// Errors: UsageError for an unknown name, and for a permutation of more than 2^32 keys.
void make_keys(std::string_view name, std::uint64_t seed, std::span<Key> keys);

// A name ending in .i32 is raw little-endian int32; any other file is text, integers separated by
// blanks and line breaks, with comments from # to the end of a line.
bool is_raw_name(std::string_view path);

// Errors: InputError naming the file and, for text, the line: missing, a directory, without any
// key, not an integer, outside int32, a raw size that is no multiple of 4.
std::vector<Key> read_keys(const std::string& path);

// The inverse: text has one key a line.
void write_keys(std::ostream& out, std::span<const Key> keys, bool raw);

}  // namespace course::sorting
