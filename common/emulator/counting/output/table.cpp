// SPDX-License-Identifier: MIT
#include "common/emulator/counting/output/table.hpp"

#include <cinttypes>

#include "common/emulator/counting/output/names.hpp"

namespace emulator::counting {
namespace {

double ratio(std::uint64_t a, std::uint64_t b) {
    return b == 0 ? 0.0 : static_cast<double>(a) / static_cast<double>(b);
}

void print_line(std::FILE* file, const LineKey& key, const Counts& counts) {
    const SourceLine line{key.file, key.line};
    const std::string what = is_access(key.kind)
                                 ? std::string(name_of(key.space)) + " " + name_of(key.kind) + " " +
                                       std::to_string(key.bytes) + " B"
                                 : name_of(key.kind);
    std::fprintf(file, "  %-28s %-20s %12" PRIu64 " requests  %5.2f of %5.2f lanes",
                 line.text().c_str(), what.c_str(), counts.requests,
                 ratio(counts.lanes, counts.requests), ratio(counts.alive_lanes, counts.requests));
    if (is_access(key.kind) && key.space != Space::constant) {
        std::fprintf(file, "  %5.2f %s (ideal %.2f)", ratio(counts.units, counts.requests),
                     key.space == Space::shared ? "wavefronts" : "sectors",
                     ratio(counts.ideal_units, counts.requests));
    }
    if (key.kind == EventKind::atomic) {
        std::fprintf(file, "  depth %.2f", ratio(counts.depth, counts.requests));
    }
    std::fputc('\n', file);
}

}  // namespace

void print_table(std::FILE* file, const std::vector<KernelReport>& reports) {
    for (const KernelReport& report : reports) {
        const KernelCounters& kernel = *report.kernel;
        std::fprintf(file,
                     "%s: %" PRIu64 " launches, %" PRIu64 " blocks, %" PRIu64
                     " warps; per request of a warp:\n",
                     kernel.name.c_str(), kernel.launches, kernel.blocks, kernel.warps);
        for (const auto& [key, entry] : report.lines) {
            if (key.kind != EventKind::block && key.kind != EventKind::fence) {
                print_line(file, key, entry.counts);
            }
        }
    }
}

}  // namespace emulator::counting
