// SPDX-License-Identifier: MIT
#include "common/emulator/counting/checks/memory/unwritten_shared.hpp"

#include <algorithm>
#include <utility>

#include "common/emulator/counting/checks/memory/memory_map.hpp"
#include "common/emulator/counting/output/counters.hpp"
#include "common/emulator/counting/output/findings.hpp"
#include "common/emulator/counting/output/phrases.hpp"

namespace emulator::counting {

bool UnwrittenReads::is_written(const Cell* cell, unsigned words) const {
    return std::any_of(cell, cell + words, [&](const Cell& word) {
        return word.write.interval >= first_ && !word.write.updated_unwritten();
    });
}

void UnwrittenReads::note(const Cell* cell, unsigned words, int thread, std::uintptr_t address,
                          const Request& request) {
    if (is_written(cell, words)) return;
    const auto known = std::find_if(reads_.begin(), reads_.end(),
                                    [&](const Read& read) { return read.place == request.place; });
    // One read per line is enough, as long as it is one of a word that nobody writes.
    constexpr std::size_t kMaxNoted = 4096;
    if (known != reads_.end() && reads_.size() >= kMaxNoted) return;
    reads_.push_back({cell, words, thread, address, request.place, request.operation});
}

void UnwrittenReads::report_all(Worker& worker) {
    for (const Read& read : reads_) {
        if (is_written(read.cell, read.words)) continue;
        Finding finding;
        finding.kind = FindingKind::uninitialised_shared;
        finding.kernel = worker.grid().name();
        finding.actors.push_back({worker.block(), read.thread, line_of(read.place),
                                  present_of(read.operation, Space::shared)});
        finding.what =
            "which no thread of the block wrote before: " + describe_shared(worker, read.address);
        finding.advice = "it holds what an earlier block left there: write it first";
        report(std::move(finding));
    }
    reads_.clear();
}

}  // namespace emulator::counting
