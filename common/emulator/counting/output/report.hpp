// SPDX-License-Identifier: MIT
// The counters of each kernel, added up for output: places of one line that do the same are one
// entry.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/emulator/counting/output/counters.hpp"

namespace emulator::counting {

struct LineKey {
    std::string file;
    int line;
    EventKind kind;
    Space space;  // of an access
    unsigned bytes;
    CopySort sort = CopySort::plain;  // of a copy

    auto operator<=>(const LineKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct LineCounts {
    Counts counts;
    unsigned instructions = 0;
};

struct KernelReport {
    const KernelCounters* kernel;
    std::map<LineKey, LineCounts> lines;
    std::map<std::pair<Space, EventKind>, Counts> accesses;
    std::map<EventKind, Counts> others;
    std::map<CopySort, Counts> copies;
    std::uint64_t alive_lanes = 0;
};

// Resolves the lines of all places at once: line_of() then knows them.
void find_all_lines();

std::vector<KernelReport> make_reports();

// A path's last part.
std::string file_name(const std::string& path);

}  // namespace emulator::counting
