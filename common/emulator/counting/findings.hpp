// SPDX-License-Identifier: MIT
// What the checks found: printed at once, each pair of lines once, and the program ends with 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/emulator/counting/places.hpp"

namespace emulator::counting {

enum class FindingKind {
    out_of_bounds,
    use_after_free,
    uninitialised_shared,
    uninitialised_global,
    host_pointer,
    race_in_block,
    race_between_blocks,
    race_between_streams,
    same_value_writes,  // a warning: the exit status stays
    barrier_divergence,
    device_pointer_on_host,
    missing_synchronisation,
    never_synchronised,
    endless_kernel,
};

// A CUDA thread, or the host (block < 0).
struct Actor {
    std::int64_t block = -1;  // linear
    int thread = 0;  // linear within the block
    SourceLine line;
    std::string did;  // "writes", "read", "waits at __syncthreads()"
    std::string kernel = {};  // where it is of another grid than the finding's
    std::string name = {};  // where it is neither a thread nor the host: "a copy of stream 1"
};

struct Finding {
    FindingKind kind;
    std::string kernel;
    std::vector<Actor> actors;  // one or two; the one that the program is at first
    std::string what;  // "4 bytes behind allocation 3, of 1024 bytes"
    std::string advice;  // one sentence on what to do
    std::uint64_t count = 1;
};

// Prints a finding of a new kind, kernel or pair of lines, else counts it. Result: its index.
std::size_t report(Finding finding);
void count_again(std::size_t index);

// In the order of their first occurrence.
const std::vector<Finding>& findings();
// Forgets them, for tests of the checks; the generation counts how often.
void clear_findings();
std::uint64_t findings_generation();
// Whether there is more than warnings.
bool has_errors();
// Says how many findings were too many to print.
void print_summary();

}  // namespace emulator::counting
