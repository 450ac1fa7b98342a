// SPDX-License-Identifier: MIT
// What the checks found. A finding is printed at once, but only once per pair of lines. A program
// with findings ends with exit status 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/emulator/counting/record/source_lines.hpp"

namespace emulator::counting {

enum class FindingKind {
    out_of_bounds,
    use_after_free,
    uninitialised_shared,
    uninitialised_global,
    host_pointer,
    no_peer_access,
    race_in_block,
    race_between_blocks,
    race_between_streams,
    same_value_writes,  // a warning: warnings do not change the exit status
    barrier_divergence,
    device_pointer_on_host,
    missing_synchronisation,
    never_synchronised,
    endless_kernel,
    copy_in_flight,
    copy_never_awaited,
    missing_proxy_fence,
    invalid_call,
    texture_access,
    launch_refused,
    double_free,
    wrong_free,
    memory_leak,  // a warning
    barrier_after_end,  // a warning
};

bool is_warning(FindingKind kind);

// A CUDA thread, the host (block < 0), or a task of a stream (with a name).
struct Actor {
    std::int64_t block = -1;  // linear
    int thread = 0;  // linear within the block
    SourceLine line;
    std::string did;  // "writes", "read", "waits at __syncthreads()"
    std::string kernel = {};  // if it is not the finding's kernel
    std::string name = {};  // of a task: "a copy or set on stream 1"
};

struct Finding {
    FindingKind kind;
    std::string kernel;
    std::vector<Actor> actors;  // one or two; first the one that runs now
    std::string what;  // "4 bytes past the end of allocation 3 (1024 bytes)"
    std::string advice;  // one sentence: what to do
    std::uint64_t count = 1;
};

// Prints a finding that is new in its kind, kernel or pair of lines. Counts a known one once more.
void report(Finding finding);
// The same for findings that are costly to describe: `key` stands for the finding's kind and
// places. If the key was reported before, count_if_reported() counts the finding and returns true.
bool count_if_reported(std::uint64_t key);
void report(std::uint64_t key, Finding finding);

// In the order of their first occurrence.
const std::vector<Finding>& findings();
// For tests of the checks.
void clear_findings();
// Whether there are findings that are not warnings.
bool has_errors();
// Prints how many findings were not printed because there were too many.
void print_summary();

}  // namespace emulator::counting
