// SPDX-License-Identifier: MIT
#include "common/emulator/counting/output/report.hpp"

#include "common/emulator/counting/output/names.hpp"
#include "common/emulator/counting/record/paths.hpp"

namespace emulator::counting {

std::string file_name(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
}

void find_all_lines() {
    std::vector<const void*> codes;
    for (const Place& place : counting().places) {
        if (place.head == kNoHead) continue;
        codes.push_back(code_at(code_of(place.head)));
        for (const void* caller : callers_of(path_of(place.head))) codes.push_back(caller);
    }
    find_lines(codes);
}

std::vector<KernelReport> make_reports() {
    const Counting& all = counting();
    find_all_lines();
    std::vector<KernelReport> reports;
    for (const auto& kernel : all.kernels) reports.push_back({kernel.get(), {}, {}, {}, {}});
    for (std::size_t i = 1; i < all.places.size(); ++i) {
        const Place& place = all.places[i];
        KernelReport& report = reports[place.kernel];
        const EventKind kind = kind_of(place.head);
        const bool access = is_access(kind);
        const SourceLine line = line_of(static_cast<PlaceId>(i));
        const Space space = access ? space_of(place.head) : Space::global;
        const bool copy = kind == EventKind::copy;
        const CopySort sort = copy ? sort_of(place.head) : CopySort::plain;
        const bool sized = access || (copy && sort == CopySort::plain);
        LineCounts& entry = report.lines[{file_name(line.file), line.line, kind, space,
                                          sized ? bytes_of(place.head) : 0, sort}];
        entry.counts += place.counts;
        ++entry.instructions;
        if (access) {
            report.accesses[{space, kind}] += place.counts;
            report.alive_lanes += place.counts.alive_lanes;
        } else if (copy) {
            report.copies[sort] += place.counts;
        } else {
            report.others[kind] += place.counts;
        }
    }
    return reports;
}

}  // namespace emulator::counting
