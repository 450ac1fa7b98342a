// SPDX-License-Identifier: MIT
#include "barriers.hpp"

#include <algorithm>

#include "../grid.hpp"
#include "findings.hpp"
#include "places.hpp"

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
        // The compiler may have made several instructions of one line.
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

void ArrivedThreads::report_deadlock(Worker& worker) const {
    Finding finding;
    finding.kind = FindingKind::barrier_divergence;
    finding.kernel = worker.grid().name();
    finding.what = "which not all threads reach";
    finding.advice = "move it out of the branch, or leave out of the mask who does not come";
    if (!threads_.empty()) {
        const int thread = *std::min_element(threads_.begin(), threads_.end());
        finding.actors.push_back(
            make_actor(worker, thread, barrier_at_[thread], "waits for ever at a barrier"));
    }
    for (int thread = 0; finding.actors.empty() && thread < kMaxThreadsPerBlock; ++thread) {
        const bool live = worker.live_lanes(thread / kWarpSize) >> thread % kWarpSize & 1;
        if (collective_at_[thread] == nullptr || !live) continue;
        finding.actors.push_back(
            make_actor(worker, thread, collective_at_[thread], "waits for ever for its warp"));
    }
    if (!finding.actors.empty()) report(std::move(finding));
}

}  // namespace emulator::counting
