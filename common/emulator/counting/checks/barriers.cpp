// SPDX-License-Identifier: MIT
#include "common/emulator/counting/checks/barriers.hpp"

#include <algorithm>

#include "common/emulator/counting/output/findings.hpp"
#include "common/emulator/counting/record/paths.hpp"
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
    collective_at_.fill({nullptr, 0});
    at_one_place_ = true;
    diverged_ = false;
}

void ArrivedThreads::add(int thread, const void* code, std::uint16_t path) {
    barrier_at_[thread] = code;
    path_[thread] = path;
    at_one_place_ = at_one_place_ && (threads_.empty() || is_at_place_of(thread, threads_.front()));
    threads_.push_back(static_cast<std::uint16_t>(thread));
}

bool ArrivedThreads::is_at_place_of(int thread, int other) const {
    return barrier_at_[thread] == barrier_at_[other] && path_[thread] == path_[other];
}

void ArrivedThreads::complete(Worker& worker) {
    if (!at_one_place_) {
        report_divergence(worker);
    } else if (!diverged_) {
        warn_of_ended(worker);
    }
    threads_.clear();
    at_one_place_ = true;
}

void ArrivedThreads::report_divergence(Worker& worker) {
    std::sort(threads_.begin(), threads_.end());
    const int first = threads_.front();
    const auto lines_of = [&](int thread) {
        return find_call_lines(barrier_at_[thread], callers_of(path_[thread]));
    };
    const std::vector<SourceLine> lines = lines_of(first);
    int known = first;
    for (const int thread : threads_) {
        if (is_at_place_of(thread, first) || is_at_place_of(thread, known)) continue;
        known = thread;
        const std::vector<SourceLine> others = lines_of(thread);
        // Different instructions may belong to one line. If that line is in a function that two
        // branches call, the calls differ.
        const auto [line, other] =
            std::mismatch(lines.begin(), lines.end(), others.begin(), others.end(), is_same);
        if (line == lines.end() || other == others.end()) continue;
        diverged_ = true;
        Finding finding;
        finding.kind = FindingKind::barrier_divergence;
        finding.kernel = worker.grid().name();
        finding.actors = {{worker.block(), first, *line, "waits at a barrier"},
                          {worker.block(), thread, *other, "misses: it waits"}};
        finding.advice =
            "let all threads of the block reach the same barrier: move it out of the branch or "
            "loop";
        report(std::move(finding));
        return;
    }
}

// Hardware waits only for the threads that have not ended, so the kernel works there, too.
void ArrivedThreads::warn_of_ended(Worker& worker) {
    const std::size_t count = worker.threads().size();
    // A barrier of the grid is completed twice, the second time without arrivals.
    if (threads_.empty() || threads_.size() == count) return;
    const void* const code = barrier_at_[threads_.front()];
    if (std::find(warned_.begin(), warned_.end(), code) != warned_.end()) return;
    warned_.push_back(code);
    int ended = 0;
    while (worker.live_lanes(ended / kWarpSize) >> ended % kWarpSize & 1) ++ended;
    Finding finding;
    finding.kind = FindingKind::barrier_after_end;
    finding.kernel = worker.grid().name();
    finding.actors.push_back(
        make_actor(worker, threads_.front(), code, "waits at a barrier of the block"));
    finding.what = "but " + std::to_string(count - threads_.size()) + " of " +
                   std::to_string(count) + " threads have ended, thread " + std::to_string(ended) +
                   " for one";
    finding.advice =
        "the CUDA C++ Programming Guide (Synchronization Functions) says: \"__syncthreads() is "
        "allowed in conditional code but only if the conditional evaluates identically across the "
        "entire thread block, otherwise the code execution is likely to hang or produce "
        "unintended side effects\"";
    report(std::move(finding));
}

// The first live thread that waits for its warp and not at a barrier; -1: there is none.
int ArrivedThreads::first_in_collective(Worker& worker) const {
    const auto count = static_cast<int>(worker.threads().size());
    for (int thread = 0; thread < count; ++thread) {
        const bool live = worker.live_lanes(thread / kWarpSize) >> thread % kWarpSize & 1;
        if (live && collective_at_[thread].code != nullptr &&
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
            make_actor(worker, in_warp, collective_at_[in_warp].code,
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
