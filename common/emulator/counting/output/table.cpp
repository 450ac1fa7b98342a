// SPDX-License-Identifier: MIT
#include "common/emulator/counting/output/table.hpp"

#include <cinttypes>

#include "common/emulator/counting/output/names.hpp"

namespace emulator::counting {
namespace {

double ratio(std::uint64_t a, std::uint64_t b) {
    return b == 0 ? 0.0 : static_cast<double>(a) / static_cast<double>(b);
}

// " 4 B"
std::string in_units(unsigned bytes) {
    if (bytes == 0) return "";
    char text[16];
    std::snprintf(text, sizeof text, " %u B", bytes);
    return text;
}

std::string describe(const LineKey& key) {
    if (is_access(key.kind)) {
        return std::string(name_of(key.space)) + " " + name_of(key.kind) + in_units(key.bytes);
    }
    if (key.kind != EventKind::copy) return name_of(key.kind);
    return name_of(key.sort) + in_units(key.bytes);
}

void print_copy(std::FILE* file, const LineKey& key, const Counts& counts) {
    if (key.sort == CopySort::product) {
        std::fprintf(file, "  %.0f bytes", ratio(counts.bytes, counts.requests));
        return;
    }
    std::fprintf(file, "  %5.2f sectors (ideal %.2f)", ratio(counts.units, counts.requests),
                 ratio(counts.ideal_units, counts.requests));
    if (key.sort == CopySort::plain) {
        std::fprintf(file, "  %5.2f wavefronts (ideal %.2f)",
                     ratio(counts.wavefronts, counts.requests),
                     ratio(counts.ideal_wavefronts, counts.requests));
    } else {
        std::fprintf(file, "  %.0f bytes", ratio(counts.bytes, counts.requests));
    }
}

bool is_shown(EventKind kind) {
    return kind != EventKind::block && kind != EventKind::fence && kind != EventKind::copy_wait &&
           kind != EventKind::proxy_fence;
}

void print_line(std::FILE* file, const LineKey& key, const Counts& counts) {
    const SourceLine line{key.file, key.line};
    const std::string what = describe(key);
    std::fprintf(file, "  %-28s %-20s %12" PRIu64 " requests  %5.2f of %5.2f lanes",
                 line.text().c_str(), what.c_str(), counts.requests,
                 ratio(counts.lanes, counts.requests), ratio(counts.alive_lanes, counts.requests));
    if (is_access(key.kind) && has_cost(key.space)) {
        std::fprintf(file, "  %5.2f %s (ideal %.2f)", ratio(counts.units, counts.requests),
                     key.space == Space::shared ? "wavefronts" : "sectors",
                     ratio(counts.ideal_units, counts.requests));
    }
    if (key.kind == EventKind::copy) print_copy(file, key, counts);
    if (key.kind == EventKind::atomic) {
        std::fprintf(file, "  depth %.2f", ratio(counts.depth, counts.requests));
    }
    std::fputc('\n', file);
}

}  // namespace

void print_table(std::FILE* file, const std::vector<KernelReport>& reports) {
    const Transfers& sent = transfers(TransferKind::sent);
    const Transfers& received = transfers(TransferKind::received);
    if (sent.calls + received.calls > 0) {
        std::fprintf(file,
                     "to other ranks: %" PRIu64 " bytes in %" PRIu64
                     " operations; from other ranks: %" PRIu64 " bytes in %" PRIu64 "\n",
                     sent.bytes, sent.calls, received.bytes, received.calls);
    }
    for (const KernelReport& report : reports) {
        const KernelCounters& kernel = *report.kernel;
        std::fprintf(file,
                     "%s: %" PRIu64 " launches, %" PRIu64 " blocks, %" PRIu64
                     " warps; per request of a warp:\n",
                     kernel.name.c_str(), kernel.launches, kernel.blocks, kernel.warps);
        if (kernel.is_sampled) {
            std::fprintf(file,
                         "  sampled: %" PRIu64 " of %" PRIu64 " launches, %" PRIu64 " of %" PRIu64
                         " blocks; the requests are those of these blocks\n",
                         kernel.recorded_launches, kernel.launches, kernel.recorded_blocks,
                         kernel.blocks);
        }
        for (const auto& [key, entry] : report.lines) {
            if (is_shown(key.kind)) print_line(file, key, entry.counts);
        }
    }
}

}  // namespace emulator::counting
