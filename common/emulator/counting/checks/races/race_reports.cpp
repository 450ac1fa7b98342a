// SPDX-License-Identifier: MIT
#include "common/emulator/counting/checks/races/race_reports.hpp"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/emulator/counting/output/counters.hpp"
#include "common/emulator/counting/output/objects.hpp"
#include "common/emulator/counting/output/phrases.hpp"

namespace emulator::counting {
namespace {

// Completes a finding about two grids. At least one of them was launched by a kernel.
void describe_grids(const CheckedBlock& block, const IntervalRecord& record, const Race& race,
                    Finding& finding) {
    const GridId grid = program().blocks[record.block].grid;
    const GridRecord& other = program().grids[grid];
    finding.actors.back().kernel = other.running != nullptr ? other.running->name() : other.name;
    const Kinship kin = kinship(grid, block.grid);
    if (kin.earlier != nullptr && kin.later != nullptr) {
        finding.what = "and nothing orders the two launches";
        finding.advice =
            "launch both into one stream, or launch the later one into cudaStreamTailLaunch";
        return;
    }
    const LaunchRecord* from_parent = kin.later != nullptr ? kin.later : kin.earlier;
    if (from_parent == nullptr) return;
    const LaunchRecord& launch = *from_parent;
    const Access& of_parent = kin.later != nullptr ? race.earlier : race.now;
    const BlockId parent_block = kin.later != nullptr ? record.block : block.id;
    if (parent_block == launch.block && of_parent.interval == launch.point.interval &&
        of_parent.thread() != launch.point.thread) {
        finding.what = "without a barrier before the launch";
        finding.advice = "put __syncthreads() before the launch";
    } else {
        finding.what = "and nothing orders it with the launch";
        finding.advice =
            "do it before the launch in the same block, or launch into cudaStreamTailLaunch, "
            "which waits for the whole grid";
    }
}

Actor now_actor(const CheckedBlock& block, const Race& race) {
    return {block.worker->block(), race.now.thread(), line_of(race.now_place),
            present_of(race.does, race.space)};
}

void report_race_of_streams(const CheckedBlock& block, const Race& race) {
    const std::uint64_t key =
        key_of_streams(race.now_place, race.earlier_place, static_cast<unsigned>(race.did) << 2);
    if (count_if_reported(key)) return;
    const TaskOrder& tasks = program().tasks;
    const TaskRecord& task = *tasks.unordered_kernel(race.earlier.interval);
    Finding finding;
    finding.kernel = block.worker->grid().name();
    finding.actors = {now_actor(block, race),
                      actor_of(task, line_of(race.earlier_place), past_of(race.did))};
    describe_streams(task, tasks.running(), finding);
    report(key, std::move(finding));
}

// A race between threads of one block, until its object's other races are known.
struct WaitingRace {
    std::uint64_t key;
    Race race;
    Finding finding;
    std::uintptr_t object;  // where it begins
    bool same_warp;
};
std::vector<WaitingRace>& waiting_races() {
    static auto* races = new std::vector<WaitingRace>;  // never destroyed: see findings.cpp
    return *races;
}

bool note_waiting_race(std::uint64_t key, const Race& race) {
    for (WaitingRace& known : waiting_races()) {
        if (known.key != key) continue;
        ++known.finding.count;
        known.same_warp &= race.earlier.warp() == race.now.warp();
        return true;
    }
    return false;
}

// What the races of one object have in common.
struct Group {
    bool within_warps = true;  // all of them
    // Different threads read and write one word at one line: a counter, a sum, a maximum.
    bool updates_a_word = false;
    bool same_values = true;  // each wrote what the other wrote
};

std::string line_of_race(const WaitingRace& race) { return race.finding.actors[0].line.text(); }
bool is_at_one_line(const WaitingRace& race) {
    return race.finding.actors[1].line.text() == line_of_race(race);
}

Group group_of(const std::vector<WaitingRace>& races, const WaitingRace& one) {
    Group group;
    bool reads = false;
    bool writes = false;
    for (const WaitingRace& other : races) {
        if (other.object != one.object) continue;
        group.within_warps &= other.same_warp;
        group.same_values &= other.race.same_value;
        if (!is_at_one_line(other) || line_of_race(other) != line_of_race(one)) continue;
        const bool loads = other.race.does == Operation::load || other.race.did == Operation::load;
        reads |= loads;
        writes |= !loads;
    }
    group.updates_a_word = reads && writes && is_at_one_line(one);
    return group;
}

// Whether no race of this kernel for the same object was printed.
bool is_first_of_object(const WaitingRace& race) {
    static auto* printed = new std::set<std::pair<std::string, std::uintptr_t>>;
    return printed->emplace(race.finding.kernel, race.object).second;
}

void describe_race_in_block(WaitingRace& race, const Group& group) {
    Finding& finding = race.finding;
    if (group.updates_a_word) {
        finding.what = "and each thread replaces what the others wrote";
        finding.advice =
            "use atomicAdd() or another atomic operation, or a reduction: a barrier cannot help";
        return;
    }
    finding.what = race.race.read_nothing ? "before anybody had written it, " : "";
    finding.what += std::string("without ") + (group.within_warps ? "__syncwarp()" : "a barrier") +
                    " between the two";
    finding.advice =
        group.within_warps ? "add __syncwarp() or __syncthreads()" : "add __syncthreads()";
    if (!race.race.earlier.is_volatile() || !race.race.now.is_volatile()) return;
    finding.what += ", and volatile orders nothing between threads";
    if (group.within_warps) {
        finding.advice =
            "put __syncwarp() after each read and after each write, or exchange the "
            "values by __shfl_down_sync()";
    }
}

// The copy has arrived, but this thread has not waited for the phase that tells it.
void report_untold_copy(const CheckedBlock& block, const Race& race, std::uint64_t key) {
    Finding finding;
    finding.kind = FindingKind::copy_in_flight;
    finding.kernel = block.worker->grid().name();
    finding.actors = {now_actor(block, race),
                      {block.worker->block(), race.earlier.thread(), line_of(race.earlier_place),
                       race.did == Operation::load ? "reads by an asynchronous copy"
                                                   : "writes by an asynchronous copy"}};
    finding.what = "before it waited for that copy";
    finding.advice = "wait first for the phase of the barrier that tracks the copy";
    report(key, std::move(finding));
}

}  // namespace

void report_race(const CheckedBlock& block, const Race& race) {
    const Program& all = program();
    if (race.earlier.interval < all.first_of_grids) return report_race_of_streams(block, race);
    const IntervalRecord& record = all.interval(race.earlier.interval);
    const bool same_block = record.block == block.id;
    const bool same_grid = all.blocks[record.block].grid == block.grid;
    const std::uint64_t key =
        std::uint64_t{race.now_place} << 32 | std::uint64_t{race.earlier_place} << 16 |
        static_cast<std::uint64_t>(same_grid) << 4 | static_cast<std::uint64_t>(race.did) << 2 |
        static_cast<std::uint64_t>(same_block) << 1 | static_cast<std::uint64_t>(race.same_value);
    if (same_block && note_waiting_race(key, race)) return;
    if (count_if_reported(key)) return;
    if (same_block && race.earlier.is_tracked_copy()) return report_untold_copy(block, race, key);
    Finding finding;
    finding.kind = race.same_value ? FindingKind::same_value_writes
                   : same_block    ? FindingKind::race_in_block
                                   : FindingKind::race_between_blocks;
    finding.kernel = block.worker->grid().name();
    finding.actors = {now_actor(block, race),
                      {all.blocks[record.block].number, race.earlier.thread(),
                       line_of(race.earlier_place), past_of(race.did)}};
    if (!same_grid) describe_grids(block, record, race, finding);
    if (race.same_value) {
        finding.what = "the same value in both cases";
        finding.advice =
            "this works on today's devices, but an atomic operation or a single writer is cleaner";
    } else if (same_grid && !same_block) {
        finding.what = "and nothing orders the two blocks";
        finding.advice =
            "use atomic operations, or a second kernel, or __threadfence() and an atomic flag";
    }
    if (!same_block) return report(key, std::move(finding));
    const Object object = object_at(*block.worker, race.address, race.space);
    waiting_races().push_back({key, race, std::move(finding),
                               object.name.empty() ? race.address : object.begin,
                               race.earlier.warp() == race.now.warp()});
}

std::size_t waiting_race_count() { return waiting_races().size(); }

void report_waiting_races() {
    std::vector<WaitingRace> races = std::exchange(waiting_races(), {});
    std::vector<Group> groups;
    for (const WaitingRace& race : races) groups.push_back(group_of(races, race));
    for (std::size_t i = 0; i < races.size(); ++i) {
        WaitingRace& race = races[i];
        const Group& group = groups[i];
        if (!race.race.same_value) describe_race_in_block(race, group);
        // "Writes of the same value" would be a comfort beside a race.
        if (group.same_values || (!race.race.same_value && is_first_of_object(race))) {
            report(race.key, std::move(race.finding));
        } else {
            report_quietly(race.key, std::move(race.finding));
        }
    }
}

void report_missing_proxy_fence(const CheckedBlock& block, int thread, PlaceId place,
                                const Access& write, PlaceId write_place) {
    constexpr std::uint64_t kOfProxies = 1 << 7;
    const std::uint64_t key =
        std::uint64_t{place} << 32 | std::uint64_t{write_place} << 16 | kOfProxies;
    if (count_if_reported(key)) return;
    Finding finding;
    finding.kind = FindingKind::missing_proxy_fence;
    finding.kernel = block.worker->grid().name();
    finding.actors = {
        {block.worker->block(), thread, line_of(place), "copies shared memory by a bulk copy"},
        {block.worker->block(), write.thread(), line_of(write_place), "wrote"}};
    finding.what = "without a proxy fence between the two";
    finding.advice =
        "let each thread that writes call cuda::ptx::fence_proxy_async(cuda::ptx::space_shared) "
        "before the barrier";
    report(key, std::move(finding));
}

Actor actor_of(const TaskRecord& task, SourceLine line, std::string did) {
    return {-1, 0, std::move(line), std::move(did), {}, task.name()};
}

void describe_streams(const TaskRecord& earlier, const TaskRecord& now, Finding& finding) {
    finding.kind = FindingKind::race_between_streams;
    finding.what = "and nothing orders " + name_of(now.place) + " and " + name_of(earlier.place);
    const bool same_graph = now.place.graph != 0 && now.place.graph == earlier.place.graph;
    if (same_graph && now.place.instance != earlier.place.instance) {
        finding.what = "and nothing orders the launches of two instances of graph " +
                       std::to_string(now.place.graph);
    } else if (same_graph) {
        finding.advice =
            "add a dependency between the nodes: cudaGraphAddDependencies(), or in a capture an "
            "event that one stream records and the other waits for";
        return;
    }
    finding.advice =
        "let one stream wait for an event of the other (cudaStreamWaitEvent()), or let the host "
        "wait between the two";
}

std::uint64_t key_of_streams(PlaceId now_place, PlaceId earlier_place, unsigned detail) {
    constexpr std::uint64_t kOfStreams = 1 << 5;
    return std::uint64_t{now_place} << 32 | std::uint64_t{earlier_place} << 16 | kOfStreams |
           detail;
}

}  // namespace emulator::counting
