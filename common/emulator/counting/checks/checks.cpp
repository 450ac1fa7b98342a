// SPDX-License-Identifier: MIT
#include "common/emulator/counting/checks/checks.hpp"

#include <array>
#include <bit>
#include <memory>
#include <unordered_map>
#include <utility>

#include "common/emulator/counting/checks/async_checks.hpp"
#include "common/emulator/counting/checks/chosen_lines.hpp"
#include "common/emulator/counting/checks/host_memory.hpp"
#include "common/emulator/counting/checks/memory/forbidden.hpp"
#include "common/emulator/counting/checks/memory/memory_map.hpp"
#include "common/emulator/counting/checks/memory/unwritten_global.hpp"
#include "common/emulator/counting/checks/races/copies.hpp"
#include "common/emulator/counting/checks/running_block.hpp"
#include "common/emulator/counting/output/counters.hpp"
#include "common/emulator/counting/output/findings.hpp"
#include "common/emulator/counting/record/paths.hpp"
#include "common/emulator/counting/record/recorder.hpp"
#include "common/emulator/counting/record/source_lines.hpp"
#include "common/emulator/process/time_limit.hpp"

namespace emulator::counting {
void RunningBlock::begin(Worker& worker) {
    words.begin(worker);
    in_flight.begin_block();
    arrived.clear();
    undefined.begin_block();
    last_place = 0;
    time_is_up = 0;
}

void RunningBlock::check(Worker& worker, int warp, const Request& request) {
    if (request.space == Space::global) {
        if (host_touched_words) check_kernel_against_host(worker, warp, request);
        check_written(worker, warp, request);
        const Program& all = program();
        if (all.races_on && !all.tasks.unordered_copies().empty()) {
            check_against_copies(worker, warp, request);
        }
    }
    if (!in_flight.empty()) in_flight.check(words.block, warp, request);
    words.check(warp, request);
}

RunningBlock& running_block(Worker& worker) {
    static auto* blocks = new std::unordered_map<Worker*, std::unique_ptr<RunningBlock>>;
    static Worker* last = nullptr;
    static RunningBlock* block = nullptr;
    if (&worker != last) {
        std::unique_ptr<RunningBlock>& entry = (*blocks)[&worker];
        if (entry == nullptr) entry = std::make_unique<RunningBlock>();
        last = &worker;
        block = entry.get();
    }
    return *block;
}

namespace {

[[gnu::noinline]] void check_shifted(RunningBlock& block, Worker& worker, int warp,
                                     const Request& request) {
    std::array<std::uintptr_t, kWarpSize> moved{};
    Request shifted = request;
    for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1) {
        const int lane = std::countr_zero(lanes);
        moved[lane] = request.address[lane] + request.bytes;
        const Range range = find_range(worker, request.address[lane]);
        if (range.holds(moved[lane], request.bytes)) continue;
        report_outside(worker, warp * kWarpSize + lane, moved[lane], request.bytes,
                       request.operation, line_of(request.place));
        shifted.lanes &= ~(1u << lane);
    }
    shifted.address = moved.data();
    if (shifted.lanes != 0) block.check(worker, warp, shifted);
}

}  // namespace

volatile std::sig_atomic_t time_is_up = 0;

void set_races(bool on) { program().races_on = on; }

void begin_grid_checks(const Grid& grid) { begin_grid_record(grid); }
void end_grid_checks(const Grid& grid) {
    report_undecided_lanes();
    end_grid_record(grid);
}

void begin_block_checks(Worker& worker) {
    enter_block(worker);
    running_block(worker).begin(worker);
}

void end_block_checks(Worker& worker) {
    RunningBlock& block = running_block(worker);
    block.words.finish_interval();
    report_waiting();
    if (!worker.grid().failed) report_never_awaited(block.words.block, block.in_flight);
    block.words.finish_copies(block.in_flight.pending());
}

void order_block(Worker& worker, bool of_grid) {
    RunningBlock& block = running_block(worker);
    block.arrived.complete(worker);
    block.words.finish_interval();
    block.words.block.begin_interval(of_grid);
}

void begin_unchecked_block() {
    program().blocks_are_missing = true;
    time_is_up = 0;
}

std::uint32_t note_launch(Worker& worker, int thread, cudaStream_t stream, bool is_checked) {
    if (!is_checked) begin_block_checks(worker);
    return running_block(worker).words.block.note_launch(thread, stream);
}

void order_warp(Worker& worker, int warp, std::uint32_t mask) {
    CheckedBlock& block = running_block(worker).words.block;
    block.history[warp].add_sync(mask);
    if (block.phases.in_use()) block.phases.join_lanes(warp, mask);
}

void order_fence(Worker& worker, int warp, std::uint32_t lanes, bool of_device) {
    if (lanes != 0) running_block(worker).words.block.fence(warp, lanes, of_device);
}

void check_barrier(Worker& worker, int thread, const void* code, std::uint16_t path) {
    running_block(worker).arrived.add(thread, code, path);
}

void check_collective(Worker& worker, int thread, const void* code, std::uint16_t path) {
    running_block(worker).arrived.add_collective(thread, code, path);
}

std::uint32_t check_meeting(Worker& worker, int warp, const Warp& values,
                            const WarpMeeting& meeting) {
    RunningBlock& block = running_block(worker);
    return block.undefined.check(worker, warp, values, meeting, block.arrived);
}

void judge_meeting(Worker& worker, int warp, PlaceId place, std::uint32_t met,
                   const NextBlocks& next) {
    running_block(worker).undefined.judge(worker, warp, place, met, next);
}

void report_deadlock(Worker& worker) {
    if (!report_endless_phase(worker)) running_block(worker).arrived.report_deadlock(worker);
}

namespace {

[[noreturn]] void end_endless_block(Worker& worker, const SourceLine& line) {
    time_is_up = 0;
    Finding finding;
    finding.kind = FindingKind::endless_kernel;
    finding.kernel = worker.grid().name();
    finding.actors.push_back(
        {worker.block(), current_thread->linear_index, line, "is still running"});
    finding.what = "after the time limit of its block";
    finding.advice =
        "look for a loop that never ends, or that waits for a thread which has yet to run; "
        "EMULATOR_TIME_LIMIT=SECONDS allows more time";
    report(std::move(finding));
    worker.grid().fail(cudaErrorLaunchTimeout);
    worker.abandon_block();
}

}  // namespace

void check_time(Worker& worker) {
    if (time_is_up) end_endless_block(worker, line_of(running_block(worker).last_place));
}

void check_time_at_call(Worker& worker, const void* code) {
    if (!time_is_up) return;
    const std::uint16_t path = running_path();
    const Unrecorded unrecorded;
    end_endless_block(worker, find_line(code, callers_of(path)));
}

void report_overdue_launch(const Grid& grid) {
    Finding finding;
    finding.kind = FindingKind::endless_kernel;
    finding.kernel = grid.name();
    // The kernel's first instruction; what is looked up is the call before an address.
    const auto* const code = static_cast<const char*>(grid.kernel.address);
    const SourceLine line = code != nullptr ? find_line(code + 1) : SourceLine();
    finding.actors.push_back({0, 0, line, "has not ended"});
    finding.actors.front().name = "the grid";
    finding.what = describe_overdue_launch();
    finding.advice = "look for a chain of launches that never ends";
    report(std::move(finding));
}

bool running_thread_has_read_unwritten(Worker& worker) {
    const int warp = current_thread->linear_index / kWarpSize;
    const int lane = current_thread->linear_index % kWarpSize;
    const WordChecks& words = running_block(worker).words;
    const Head* event = recorder().first_head(warp, lane);
    const Head* const end = recorder().record(warp, lane).next;
    for (; event < end; event += kRowStride) {
        if (kind_of(*event) != EventKind::load || space_of(*event) != Space::shared) continue;
        if (words.is_unwritten(event[kOperandOffset])) {
            end_turns(worker);
            return true;
        }
    }
    return false;
}

std::size_t noted_findings() { return findings().size() + waiting_race_count(); }

void check_request(Worker& worker, int warp, const Request& request) {
    RunningBlock& block = running_block(worker);
    block.last_place = request.place;
    if (is_shifted(request.place)) return check_shifted(block, worker, warp, request);
    block.check(worker, warp, request);
}

}  // namespace emulator::counting
