// SPDX-License-Identifier: MIT
#include "common/emulator/counting/checks/barriers.hpp"

#include <algorithm>

#include "common/emulator/counting/output/findings.hpp"
#include "common/emulator/counting/record/source_lines.hpp"
#include "common/emulator/engine/grid.hpp"

namespace emulator::counting {
namespace {

Actor make_actor(const Worker& worker, int thread, const void* code, const char* did) {
    return {worker.block(), thread, find_line(code), did};
}

bool is_same(const SourceLine& a, const SourceLine& b) {
    return a.file == b.file && a.line == b.line;
}

}  // namespace

void ArrivedThreads::clear() {
    threads_.clear();
    collective_at_.fill(nullptr);
    at_one_place_ = true;
}

void ArrivedThreads::add(int thread, const void* code) {
    at_one_place_ = at_one_place_ && (threads_.empty() || barrier_at_[threads_.front()] == code);
    threads_.push_back(static_cast<std::uint16_t>(thread));
    barrier_at_[thread] = code;
}

void ArrivedThreads::complete(Worker& worker) {
    if (!at_one_place_) {
        // Different instructions may belong to one line.
        std::sort(threads_.begin(), threads_.end());
        const int first = threads_.front();
        const SourceLine line = find_line(barrier_at_[first]);
        for (const int thread : threads_) {
            if (barrier_at_[thread] == barrier_at_[first]) continue;
            Actor other = make_actor(worker, thread, barrier_at_[thread], "misses: it waits");
            if (is_same(other.line, line)) continue;
            Finding finding;
            finding.kind = FindingKind::barrier_divergence;
            finding.kernel = worker.grid().name();
            finding.actors = {make_actor(worker, first, barrier_at_[first], "waits at a barrier"),
                              std::move(other)};
            finding.advice =
                "let all threads of the block reach the same barrier: move it out of "
                "the branch or loop";
            report(std::move(finding));
            break;
        }
    }
    threads_.clear();
    at_one_place_ = true;
}

// The first live thread that waits for its warp and not at a barrier; -1: there is none.
int ArrivedThreads::first_in_collective(Worker& worker) const {
    const auto count = static_cast<int>(worker.threads().size());
    for (int thread = 0; thread < count; ++thread) {
        const bool live = worker.live_lanes(thread / kWarpSize) >> thread % kWarpSize & 1;
        if (live && collective_at_[thread] != nullptr &&
            std::find(threads_.begin(), threads_.end(), thread) == threads_.end()) {
            return thread;
        }
    }
    return -1;
}

// The first thread at a barrier. A thread in the warp of `other` is preferred, because `other` may
// wait for it.
int ArrivedThreads::first_at_barrier(int other) const {
    int first = -1;
    for (const int thread : threads_) {
        const bool same = other >= 0 && thread / kWarpSize == other / kWarpSize;
        const bool first_is_same =
            other >= 0 && first >= 0 && first / kWarpSize == other / kWarpSize;
        if (first < 0 || (same != first_is_same ? same : thread < first)) first = thread;
    }
    return first;
}

void ArrivedThreads::report_deadlock(Worker& worker) const {
    Finding finding;
    finding.kind = FindingKind::barrier_divergence;
    finding.kernel = worker.grid().name();
    finding.advice =
        "move it out of the branch, or remove the lanes that do not reach it from the mask";
    const int in_warp = first_in_collective(worker);
    const int at_barrier = first_at_barrier(in_warp);
    if (in_warp >= 0) {
        finding.actors.push_back(
            make_actor(worker, in_warp, collective_at_[in_warp],
                       at_barrier < 0 ? "waits forever for its warp" : "waits in a warp function"));
    }
    if (at_barrier >= 0) {
        finding.actors.push_back(
            make_actor(worker, at_barrier, barrier_at_[at_barrier],
                       in_warp < 0 ? "waits forever at a barrier" : "misses: it waits"));
    }
    if (finding.actors.empty()) return;
    if (finding.actors.size() == 1) finding.what = "which not all threads reach";
    report(std::move(finding));
}

}  // namespace emulator::counting
