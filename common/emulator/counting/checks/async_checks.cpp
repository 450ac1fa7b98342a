// SPDX-License-Identifier: MIT
#include "common/emulator/counting/checks/async_checks.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "common/emulator/counting/checks/running_block.hpp"
#include "common/emulator/counting/output/findings.hpp"
#include "common/emulator/engine/grid.hpp"

namespace emulator::counting {
namespace {

Point now_of(const CheckedBlock& block, int thread) {
    return {block.interval, thread, block.history[thread / kWarpSize].stamp()};
}

bool is_before(const PendingCopy& copy, const EndedWork& work) {
    if (copy.thread != work.thread) return false;
    if (work.is_bulk) return copy.sort == CopySort::bulk_load && copy.number == work.number;
    return copy.sort == CopySort::plain && copy.number < work.number;
}

}  // namespace

void note_copies(Worker& worker, int warp, const CopyRequest& request) {
    RunningBlock& running = running_block(worker);
    CheckedBlock& block = running.words.block;
    for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1) {
        const int lane = std::countr_zero(lanes);
        const CopyWords& words = request.words[lane];
        const bool is_load = request.sort == CopySort::bulk_load;
        PendingCopy copy{};
        copy.destination = words.destination;
        copy.source = request.source[lane];
        copy.bytes = words.bytes;
        copy.read_bytes = !is_load ? words.other : copy.source != 0 ? words.bytes : 0;
        copy.sort = request.sort;
        copy.thread = warp * kWarpSize + lane;
        copy.place = request.place;
        copy.number = is_load ? words.other
                      : request.is_further_part
                          ? running.in_flight.last_number(copy.thread, request.sort)
                          : running.in_flight.next_number(copy.thread, request.sort);
        copy.issue = now_of(block, copy.thread);
        const bool reads_shared =
            request.sort == CopySort::bulk_store || request.sort == CopySort::product;
        if (reads_shared) running.words.check_proxy_fence(copy);
        running.in_flight.add(copy);
    }
}

namespace {

// A product ends for the four warps that multiply together. All of them have read their operands,
// so the reads of each come before what these lanes do next. The first lane of a warp reads.
void end_products(RunningBlock& running, int warp, std::uint32_t lanes, const std::uint64_t* end) {
    constexpr int kWarps = 4;
    const int first_warp = warp / kWarps * kWarps;
    running.in_flight.take([&](const PendingCopy& copy) {
        return copy.sort == CopySort::product &&
               copy.thread / kWarpSize / kWarps * kWarps == first_warp &&
               copy.number < end[std::countr_zero(lanes)];
    });
    CheckedBlock& block = running.words.block;
    for (int other = first_warp; other < first_warp + kWarps; ++other) {
        for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
            block.phases.learn(warp * kWarpSize + std::countr_zero(rest), other * kWarpSize,
                               block.history[other].stamp());
        }
        // Its later accesses get a larger stamp.
        block.history[other].add_fence();
    }
}

}  // namespace

void end_copies(Worker& worker, int warp, CopySort sort, std::uint32_t lanes,
                const std::uint64_t* end) {
    RunningBlock& running = running_block(worker);
    if (sort == CopySort::product) return end_products(running, warp, lanes, end);
    const auto is_awaited = [&](const PendingCopy& copy) {
        const bool same_sort =
            copy.sort == (sort == CopySort::bulk_read ? CopySort::bulk_store : sort);
        const int lane = copy.thread % kWarpSize;
        return same_sort && copy.thread / kWarpSize == warp && (lanes >> lane & 1) != 0 &&
               copy.number < end[lane];
    };
    if (sort == CopySort::bulk_read) {
        for (const PendingCopy& copy : running.in_flight.end_reads(is_awaited)) {
            running.words.note_copy_read(copy, now_of(running.words.block, copy.thread));
        }
        return;
    }
    for (const PendingCopy& copy : running.in_flight.take(is_awaited)) {
        const Point now = now_of(running.words.block, copy.thread);
        if (!copy.source_is_read) running.words.note_copy_read(copy, now);
        running.words.note_copy_written(copy, now);
    }
}

void order_phase_step(Worker& worker, int warp, PhaseStep step, std::uint32_t lanes,
                      const std::uintptr_t* barrier, const PhaseWords* words) {
    CheckedBlock& block = running_block(worker).words.block;
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const int thread = warp * kWarpSize + lane;
        if (step == PhaseStep::arrival) {
            block.phases.arrive(barrier[lane], thread, block.history[warp]);
        } else if (step == PhaseStep::wait) {
            block.phases.wait(thread, words[lane].phase);
        } else if (step == PhaseStep::completion) {
            block.phases.wait_for_arrivals(thread, barrier[lane]);
        }
    }
    // Later accesses get a larger stamp than those before the arrival.
    if (step == PhaseStep::arrival) block.history[warp].add_fence();
}

// The copy counts as made where it was issued, or at the begin of this interval: the threads that
// wait for the phase are ordered after it, and no others.
void end_phase_checks(Worker& worker, std::uintptr_t barrier, std::uint64_t phase,
                      std::span<const EndedWork> work) {
    RunningBlock& running = running_block(worker);
    CheckedBlock& block = running.words.block;
    const auto has_ended = [&](const PendingCopy& copy) {
        return std::any_of(work.begin(), work.end(),
                           [&](const EndedWork& ended) { return is_before(copy, ended); });
    };
    if (!work.empty()) {
        for (const PendingCopy& copy : running.in_flight.take(has_ended)) {
            Point point = copy.issue;
            if (point.interval != block.interval) point = {block.interval, copy.thread, 0};
            block.phases.end_copy(barrier, copy.thread, point.stamp);
            running.words.note_copy_read(copy, point, Access::kTracked);
            running.words.note_copy_written(copy, point, Access::kTracked);
        }
    }
    block.phases.end_phase(barrier, phase);
}

void order_proxy_fence(Worker& worker, int warp, std::uint32_t lanes) {
    CheckedBlock& block = running_block(worker).words.block;
    block.history[warp].add_fence();
    for (; lanes != 0; lanes &= lanes - 1) {
        const int thread = warp * kWarpSize + std::countr_zero(lanes);
        block.proxy_fences.note(now_of(block, thread));
    }
}

void report_refused_call(Worker& worker, SourceLine line, const char* what, const char* advice) {
    Finding finding;
    finding.kind = FindingKind::invalid_call;
    finding.kernel = worker.grid().name();
    finding.actors.push_back({worker.block(), current_thread->linear_index, std::move(line), what});
    finding.advice = advice;
    report(std::move(finding));
}

bool report_endless_phase(Worker& worker) {
    const AsyncWork* const work = worker.async_if_used();
    if (work == nullptr || work->waiters.empty()) return false;
    const auto first = std::min_element(
        work->waiters.begin(), work->waiters.end(),
        [](const PhaseWaiter& a, const PhaseWaiter& b) { return a.thread < b.thread; });
    Finding finding;
    finding.kind = FindingKind::barrier_divergence;
    finding.kernel = worker.grid().name();
    finding.actors.push_back({worker.block(), first->thread, find_line(first->code),
                              "waits forever " + describe_wait(*work, first->barrier)});
    finding.advice =
        first->barrier == &product_of_all_warps
            ? "let all four warps of a group of 128 threads call the same wgmma instructions"
        : named_barrier_of(*work, first->barrier) >= 0
            ? "count the threads that wait or arrive at this barrier: let all of them reach it, "
              "in whole warps, and name their number in each call"
            : "let as many threads arrive as init() was told, and expect as many bytes as bulk "
              "copies bring";
    report(std::move(finding));
    return true;
}

}  // namespace emulator::counting
