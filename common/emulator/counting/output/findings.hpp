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
    misaligned_address,
    use_after_free,
    uninitialised_shared,
    uninitialised_global,
    host_pointer,
    no_peer_access,
    race_in_block,
    race_between_blocks,
    race_between_streams,
    same_value_writes,
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
    unread_error,
    double_free,
    wrong_free,
    memory_leak,
    barrier_after_end,
    undefined_lane,
    early_clock,
    constant_write,
    stale_load,
    partial_vector,
};

// Of each kind, in the enumeration's order: its name in JSON, and how its message begins.
struct KindWords {
    FindingKind kind;
    const char* name;
    const char* label;
};
inline constexpr KindWords kFindingKinds[] = {
    {FindingKind::out_of_bounds, "out_of_bounds", "out of bounds"},
    {FindingKind::misaligned_address, "misaligned_address", "misaligned address"},
    {FindingKind::use_after_free, "use_after_free", "use after free"},
    {FindingKind::uninitialised_shared, "uninitialised_shared", "uninitialised shared memory"},
    {FindingKind::uninitialised_global, "uninitialised_global", "uninitialised global memory"},
    {FindingKind::host_pointer, "host_pointer", "host pointer"},
    {FindingKind::no_peer_access, "no_peer_access", "no peer access"},
    {FindingKind::race_in_block, "race_in_block", "race"},
    {FindingKind::race_between_blocks, "race_between_blocks", "race between blocks"},
    {FindingKind::race_between_streams, "race_between_streams", "race between streams"},
    {FindingKind::same_value_writes, "same_value_writes", "warning: writes of the same value"},
    {FindingKind::barrier_divergence, "barrier_divergence", "barrier divergence"},
    {FindingKind::device_pointer_on_host, "device_pointer_on_host", "device pointer on the host"},
    {FindingKind::missing_synchronisation, "missing_synchronisation", "missing synchronisation"},
    {FindingKind::never_synchronised, "never_synchronised", "never synchronised"},
    {FindingKind::endless_kernel, "endless_kernel", "endless kernel"},
    {FindingKind::copy_in_flight, "copy_in_flight", "copy in flight"},
    {FindingKind::copy_never_awaited, "copy_never_awaited", "copy never waited for"},
    {FindingKind::missing_proxy_fence, "missing_proxy_fence", "missing proxy fence"},
    {FindingKind::invalid_call, "invalid_call", "invalid call"},
    {FindingKind::texture_access, "texture_access", "texture"},
    {FindingKind::launch_refused, "launch_refused", "launch refused"},
    {FindingKind::unread_error, "unread_error", "error never read"},
    {FindingKind::double_free, "double_free", "double free"},
    {FindingKind::wrong_free, "wrong_free", "wrong free"},
    {FindingKind::memory_leak, "memory_leak", "warning: memory leak"},
    {FindingKind::barrier_after_end, "barrier_after_end",
     "warning: barrier after the end of threads"},
    {FindingKind::undefined_lane, "undefined_lane", "undefined lane"},
    {FindingKind::early_clock, "early_clock", "warning: time without the kernel"},
    {FindingKind::constant_write, "constant_write", "constant memory written"},
    {FindingKind::stale_load, "stale_load", "stale load"},
    {FindingKind::partial_vector, "partial_vector", "warning: partly unwritten vector"},
};

inline const KindWords& words_of(FindingKind kind) {
    return kFindingKinds[static_cast<std::size_t>(kind)];
}

// A warning does not change the exit status. Its label begins with "warning".
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
// The same for a consequence of a finding that was printed: it is kept, but not printed.
void report_quietly(std::uint64_t key, Finding finding);

// In the order of their first occurrence.
const std::vector<Finding>& findings();
// For tests of the checks.
void clear_findings();
// Whether there are findings that are not warnings.
bool has_errors();
// Prints how many findings were not printed because there were too many.
void print_summary();

}  // namespace emulator::counting
