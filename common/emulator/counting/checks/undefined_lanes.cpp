// SPDX-License-Identifier: MIT
#include "common/emulator/counting/checks/undefined_lanes.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <string>
#include <utility>

#include "common/emulator/counting/checks/barriers.hpp"
#include "common/emulator/counting/output/counters.hpp"
#include "common/emulator/counting/output/findings.hpp"
#include "common/emulator/counting/record/paths.hpp"
#include "common/emulator/counting/record/source_lines.hpp"
#include "common/emulator/engine/deadlock.hpp"
#include "common/emulator/engine/grid.hpp"

namespace emulator::counting {
namespace {

constexpr bool has(std::uint32_t lanes, int lane) { return (lanes >> lane & 1) != 0; }

// Findings that only later warps can prove wrong, by a branch after the same line.
struct Undecided {
    std::vector<Finding> findings;
    std::set<std::string> lines_with_a_branch;
};
Undecided& undecided() {
    static auto* all = new Undecided;  // never destroyed: see findings.cpp
    return *all;
}

// A barrier or wmma orders lanes or needs all of them; the others take values from lanes.
bool takes_values(WarpOperation operation) {
    return operation != WarpOperation::sync && operation != WarpOperation::together;
}

bool is_shuffle(WarpOperation operation) {
    return operation >= WarpOperation::shuffle && operation <= WarpOperation::shuffle_xor;
}

// Where two calls part. A function that is inlined several times has several places, but one line.
std::pair<SourceLine, SourceLine> differing_lines(const ArrivedThreads::Place& a,
                                                  const ArrivedThreads::Place& b) {
    const auto lines = find_call_lines(a.code, callers_of(a.path));
    const auto others = find_call_lines(b.code, callers_of(b.path));
    const auto [line, other] = std::mismatch(
        lines.begin(), lines.end(), others.begin(), others.end(),
        [](const SourceLine& x, const SourceLine& y) { return x.text() == y.text(); });
    if (line == lines.end() || other == others.end()) return {};
    return {*line, *other};
}

// The lanes of a shuffle, or of another function, that are at another line than a lane whose value
// they take.
void report_other_line(Worker& worker, int warp, const Warp& values, const WarpMeeting& meeting,
                       const ArrivedThreads& arrived) {
    const int first_thread = warp * kWarpSize;
    const int lowest = std::countr_zero(meeting.arrived);
    for (std::uint32_t lanes = meeting.arrived; lanes != 0; lanes &= lanes - 1) {
        const int lane = std::countr_zero(lanes);
        const int source =
            is_shuffle(meeting.operation) ? source_of_lane(values, meeting, lane) : lowest;
        const auto& own = arrived.collective_of(first_thread + lane);
        const auto& other = arrived.collective_of(first_thread + source);
        if (own == other) continue;
        const auto [line, other_line] = differing_lines(own, other);
        if (line.text() == other_line.text()) continue;
        Finding finding;
        finding.kind = FindingKind::undefined_lane;
        finding.kernel = worker.grid().name();
        finding.actors = {{worker.block(), first_thread + lane, line,
                           std::string("calls ") + describe(meeting.operation)}};
        finding.what = "and lane " + std::to_string(source) + " calls it in another branch, at " +
                       other_line.text() + ": what it gives is undefined";
        finding.advice =
            "move the call out of the branches, or give each branch a mask of its own lanes";
        report(std::move(finding));
        return;
    }
}

}  // namespace

void UndefinedLanes::begin_block() {
    chains_.fill({});
    last_chain_ = 0;
    reached_.clear();
    suspects_.clear();
}

std::uint32_t UndefinedLanes::check(Worker& worker, int warp, const Warp& values,
                                    const WarpMeeting& meeting, const ArrivedThreads& arrived) {
    if (!takes_values(meeting.operation)) return 0;
    const int first_thread = warp * kWarpSize;
    const auto& place = arrived.collective_of(first_thread + meeting.order[0]);
    const bool at_one_place =
        std::all_of(meeting.order.begin(), meeting.order.begin() + meeting.count,
                    [&](int lane) { return arrived.collective_of(first_thread + lane) == place; });
    if (!at_one_place) report_other_line(worker, warp, values, meeting, arrived);
    if (meeting.arrived == ~0u || !is_shuffle(meeting.operation)) return 0;

    Suspect suspect{};
    for (int i = 0; i < meeting.count; ++i) {
        const int lane = meeting.order[i];
        const int source = wanted_lane(values, meeting, lane);
        suspect.source[lane] = static_cast<std::int8_t>(source);
        if (!has(meeting.arrived, source)) suspect.undefined |= 1u << lane;
    }
    if (meeting.operation == WarpOperation::shuffle_down) {
        follow_chain(warp, values, meeting, suspect.undefined);
    }
    if (suspect.undefined == 0) return 0;
    suspect.warp = warp;
    suspect.met = meeting.arrived;
    suspect.mask = meeting.mask;
    suspect.operation = meeting.operation;
    suspect.existing =
        std::min(kWarpSize, static_cast<int>(worker.threads().size()) - first_thread);
    suspect.chain = chains_[warp].number;
    suspects_.push_back(suspect);
    return suspect.undefined;
}

// Each lane adds what it reads to its own value.
void UndefinedLanes::follow_chain(int warp, const Warp& values, const WarpMeeting& meeting,
                                  std::uint32_t undefined) {
    Chain& chain = chains_[warp];
    const int distance = values.argument[meeting.order[0]];
    if (chain.mask != meeting.mask || distance >= chain.distance) {
        chain = {meeting.mask, distance, 0, ++last_chain_};
    }
    chain.distance = distance;
    std::uint32_t tainted = chain.tainted | undefined;
    for (int i = 0; i < meeting.count; ++i) {
        const int lane = meeting.order[i];
        if (has(chain.tainted, wanted_lane(values, meeting, lane))) tainted |= 1u << lane;
    }
    chain.tainted = tainted;
    for (std::uint32_t lanes = tainted; lanes != 0; lanes &= lanes - 1) {
        const int lane = std::countr_zero(lanes);
        const std::uint32_t below = (1u << lane) - (1u << (lane & ~(values.width[lane] - 1)));
        if ((meeting.mask & below) == 0 && (reached_.empty() || reached_.back() != chain.number)) {
            reached_.push_back(chain.number);
        }
    }
}

// The mask says that the lane read does not take part, and the value does not reach the lowest
// lane. Lanes that a small block does not have are left in masks by custom.
bool UndefinedLanes::is_harmless(const Suspect& suspect, int lane) const {
    if (suspect.operation != WarpOperation::shuffle_down) return false;
    const int source = suspect.source[lane];
    const bool is_named = has(suspect.mask, source) && source < suspect.existing;
    return !is_named &&
           std::find(reached_.begin(), reached_.end(), suspect.chain) == reached_.end();
}

void UndefinedLanes::judge(Worker& worker, int warp, PlaceId place, std::uint32_t met,
                           const NextBlocks& next) {
    const auto known = std::find_if(
        suspects_.begin(), suspects_.end(),
        [&](const Suspect& suspect) { return suspect.warp == warp && suspect.met == met; });
    if (known == suspects_.end()) return;
    const Suspect suspect = *known;
    suspects_.erase(known);

    // A lane that asks for one outside of its segment gets its own value, and does not use it.
    std::uint32_t defined = met & ~suspect.undefined;
    for (std::uint32_t lanes = defined; lanes != 0; lanes &= lanes - 1) {
        const int own = std::countr_zero(lanes);
        if (suspect.source[own] == own) defined &= ~(1u << own);
    }
    const int lane = std::countr_zero(suspect.undefined);
    const SourceLine line = line_of(place);
    bool together = false;
    for (std::uint32_t lanes = suspect.undefined; lanes != 0 && !together; lanes &= lanes - 1) {
        const std::uint32_t after = next.after[std::countr_zero(lanes)];
        for (std::uint32_t others = defined; others != 0; others &= others - 1) {
            together |= next.after[std::countr_zero(others)] == after;
        }
    }
    if (defined != 0 && !together) {
        undecided().lines_with_a_branch.insert(line.text());
        return;
    }
    if (is_harmless(suspect, lane)) return;

    Finding finding;
    finding.kind = FindingKind::undefined_lane;
    finding.kernel = worker.grid().name();
    const int source = suspect.source[lane];
    finding.actors = {{worker.block(), warp * kWarpSize + lane, line,
                       std::string("calls ") + describe(suspect.operation)}};
    finding.what = "which reads lane " + std::to_string(source) + ": ";
    if (source >= suspect.existing) {
        finding.what += "this warp has only " + std::to_string(suspect.existing) + " threads";
    } else if (!has(suspect.mask, source)) {
        finding.what += "that lane is not in the mask " + hexadecimal(suspect.mask);
    } else {
        finding.what += "that lane has ended without this call";
    }
    finding.what += ", so the value is undefined";
    finding.advice =
        "let all lanes call it, those without data with a neutral value such as 0, or use the "
        "value only if that lane takes part";
    if (defined != 0) return report(std::move(finding));
    // All lanes read one that is missing, and may all be about to leave it. A broadcast seldom is;
    // of the others at most one that goes on with the same loop is no such branch.
    const bool loops = next.after[lane] != 0 && next.after[lane] == next.before[lane];
    const bool is_alone = (met & (met - 1)) == 0;
    const bool goes_down_or_up = suspect.operation == WarpOperation::shuffle_down ||
                                 suspect.operation == WarpOperation::shuffle_up;
    if (suspect.operation == WarpOperation::shuffle || (!is_alone && (loops || !goes_down_or_up))) {
        undecided().findings.push_back(std::move(finding));
    }
}

void report_undecided_lanes() {
    Undecided& all = undecided();
    for (Finding& finding : all.findings) {
        if (!all.lines_with_a_branch.contains(finding.actors.front().line.text())) {
            report(std::move(finding));
        }
    }
    all.findings.clear();
}

}  // namespace emulator::counting
