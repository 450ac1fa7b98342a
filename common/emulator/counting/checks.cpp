// SPDX-License-Identifier: MIT
#include "common/emulator/counting/checks.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <csignal>
#include <cstdlib>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

#include "common/emulator/counting/barriers.hpp"
#include "common/emulator/counting/findings.hpp"
#include "common/emulator/counting/host_checks.hpp"
#include "common/emulator/counting/memory_map.hpp"
#include "common/emulator/counting/order.hpp"
#include "common/emulator/counting/places.hpp"
#include "common/emulator/counting/shadow.hpp"
#include "common/emulator/counting/tasks.hpp"
#include "common/emulator/counting/written.hpp"
#include "common/emulator/device/memory.hpp"
#include "common/emulator/device/properties.hpp"
#include "common/emulator/engine/grid.hpp"
#include "common/emulator/process/executable.hpp"

namespace emulator::counting {
namespace {

bool races_on = true;

struct IntervalRecord {
    BlockId block;
    std::uint32_t phase;  // barriers of the whole grid before it
};

// Of those that one launch of the host brought about.
using GridId = std::uint32_t;

struct BlockRecord {
    GridId grid;
    std::int64_t number;
};

// A launch by device code: the point in the launching thread's course.
struct LaunchRecord {
    GridId grid;  // that launches
    BlockId block;
    std::int64_t block_number;
    std::uint32_t phase;
    Point point;
    WarpHistory history;
    cudaStream_t stream;

    bool is_tail() const { return stream == cudaStreamTailLaunch; }
};

struct GridRecord {
    const Grid* running;  // nullptr: it has ended
    const char* name;  // once it has
    std::uint32_t launch;  // unless it is the host's
    GridId parent;
    int depth;
    std::int64_t blocks;
    Interval first;
    Interval first_child;  // the first interval of all that it launched; the largest: nothing yet
    Interval first_unordered;  // of all that other grids do
};

constexpr Interval kNever = ~Interval{0};

// What all blocks share.
struct Program {
    Interval last_interval = 0;
    // Everything before is another task's: no grid was running.
    Interval first_of_grids = 1;
    int running_grids = 0;
    std::vector<IntervalRecord> intervals;  // from first_of_grids on
    std::vector<BlockRecord> blocks;
    std::vector<GridRecord> grids;
    std::unordered_map<std::uint64_t, GridId> grid_ids;  // by serial number, of those that run
    std::vector<LaunchRecord> launches;
    FenceOrder fences;
    TaskOrder tasks;
    // What the stream says of the task that runs.
    std::uint64_t task_stream = 0;
    std::uint64_t task_sequence = 0;
    const Clock* task_before = nullptr;
    std::unordered_map<std::uint64_t, std::size_t> reported;  // pairs of places -> finding
    std::uint64_t reported_in = 0;  // findings_generation
    Shadow global;  // the arena
    WrittenBytes written;  // of the arena
    Shadow data;  // the executable's variables
};

Program& program() {
    static auto* state = new Program;  // static destructors may still run kernels
    return *state;
}

// The bits of a word's value that its cell has room for.
std::uint16_t hash_of(std::uint32_t value) {
    return static_cast<std::uint16_t>(value * 0x9e3779b1u >> 16);
}

// The bytes of the first word that an access of up to 4 bytes touches.
std::uint32_t bytes_of(std::uintptr_t address, unsigned size) {
    return size >= 4 ? 0xfu : ((1u << size) - 1u) << (address & 3) & 0xfu;
}

// A block that a worker runs.
class RunningBlock {
  public:
    void begin(Worker& worker);
    void next_interval(bool of_grid);
    void sync_warp(int warp, std::uint32_t mask) { history_[warp].add_sync(mask); }
    void fence(int warp, std::uint32_t lanes, bool of_device);
    std::uint32_t note_launch(int thread, cudaStream_t stream);
    void check(int warp, const Request& request);
    // Before the next interval, and at the end.
    void finish_interval() {
        report_unwritten();
        report_guesses();
    }
    ArrivedThreads arrived;
    PlaceId last_place = 0;

  private:
    template <Space kSpace, Operation kOperation>
    void check_lanes(int warp, const Request& request);
    // Whatever was done in an earlier interval is ordered before this block.
    template <Space kSpace>
    Interval first_unordered() const {
        return kSpace == Space::shared ? interval_ : first_of_grids_;
    }
    template <Space kSpace>
    bool suspicious(const Access& access, const Access& now) const;
    bool is_ordered(const Access& earlier, const Access& now) const;
    bool is_ordered_by_launch(const Access& earlier, const IntervalRecord& record) const;
    void describe_grids(const Access& earlier, const IntervalRecord& record, const Access& now,
                        Finding& finding) const;
    // Copies that a store into a cell cannot change, as far as the compiler knows.
    struct Bounds {
        Interval first_unordered;
        Interval others_end;
    };
    template <Operation kOperation>
    static bool check_quickly(Cell& cell, const Access& now, std::uint16_t value, PlaceId place,
                              const Bounds& bounds);
    template <Space kSpace>
    void check_loaded_row(const Shadow& shadow, int warp, const Request& request);
    template <Space kSpace, Operation kOperation>
    void check_word(Cell& cell, const Access& now, std::uint16_t value, const Request& request);
    template <Space kSpace>
    void note_read(Cell& cell, const Access& now, PlaceId place) const;
    void check_conflict(const Cell& cell, const Access& earlier, PlaceId place, const Access& now,
                        const Request& request, Operation did, bool same_value);
    void report_unwritten();
    void report_guesses();
    void report_race(const Access& earlier, PlaceId place, const Access& now, PlaceId now_place,
                     Space space, Operation does, Operation did, bool same_value);
    void report_race_of_streams(const Access& earlier, PlaceId place, const Access& now,
                                PlaceId now_place, Operation does, Operation did);
    void check_copies(int warp, const Request& request);
    bool is_written(const Cell* cell, unsigned words) const;
    void note_unwritten(const Cell* cell, unsigned words, int thread, std::uintptr_t address,
                        const Request& request);
    void check_written(int warp, const Request& request);
    void check_unwritten(int warp, const Request& request);
    void report_unwritten(int thread, std::uintptr_t address, const Request& request);
    void note_strong_accesses(int warp, const Request& request, std::uint32_t stamp);
    const Shadow* find_shadow(Space space, std::uintptr_t address) const;

    // A read of shared memory that nobody had written.
    struct UnwrittenRead {
        const Cell* cell;
        unsigned words;
        int thread;
        std::uintptr_t address;
        PlaceId place;
        Operation operation;
    };

    // A race of a read with an atomic operation, unless the reader follows with its own.
    struct Guess {
        Access earlier;
        PlaceId place;
        Access now;
        PlaceId now_place;
        Space space;
        Operation does;
        Operation did;
    };

    Worker* worker_ = nullptr;
    GridId grid_ = 0;
    BlockId id_ = 0;
    std::uint32_t phase_ = 0;
    // All before is ordered before this grid. Accesses behind it need not be unordered.
    Interval first_of_grids_ = 0;
    Interval interval_ = 0;
    Interval first_ = 0;  // of the block
    // Where other blocks' intervals end that lie before this block's; the largest number where
    // blocks alternate (cooperative grids, grids within grids).
    Interval others_end_ = 0;
    std::array<WarpHistory, kMaxWarpsPerBlock> history_;
    std::vector<UnwrittenRead> unwritten_;
    std::map<std::pair<const Cell*, int>, Guess> guesses_;  // by the thread that read
    Shadow static_shared_;
    Shadow dynamic_shared_;
};

void RunningBlock::begin(Worker& worker) {
    Program& all = program();
    const Grid& grid = worker.grid();
    worker_ = &worker;
    grid_ = all.grid_ids.at(grid.serial);
    first_of_grids_ = std::min(all.grids[grid_].first, all.grids[grid_].first_unordered);
    id_ = static_cast<BlockId>(all.blocks.size());
    all.blocks.push_back({grid_, worker.block()});
    phase_ = 0;
    const SharedRange block = thread_local_block();
    static_shared_.cover(reinterpret_cast<std::uintptr_t>(block.begin), block.bytes);
    if (worker.dynamic_shared_bytes() > 0) {
        // As much as may be asked for: launches differ in where it begins, not where it ends.
        const auto begin = reinterpret_cast<std::uintptr_t>(worker.dynamic_shared());
        const std::uintptr_t end = begin + worker.dynamic_shared_bytes();
        if (!dynamic_shared_.covers(begin)) {
            dynamic_shared_.cover((end + 15) / 16 * 16 - kMaxDynamicSharedBytes,
                                  kMaxDynamicSharedBytes);
        }
    }
    next_interval(false);
    first_ = interval_;
    const bool alternate = grid.configuration.cooperative || all.running_grids > 1;
    others_end_ = alternate ? kNever : first_;
    arrived.clear();
    unwritten_.clear();
    guesses_.clear();
    last_place = 0;
    time_is_up = 0;
}

void RunningBlock::next_interval(bool of_grid) {
    Program& all = program();
    phase_ += of_grid;
    interval_ = ++all.last_interval;
    all.intervals.push_back({id_, phase_});
    for (WarpHistory& history : history_) history.clear();
}

void RunningBlock::fence(int warp, std::uint32_t lanes, bool of_device) {
    WarpHistory& history = history_[warp];
    const Point point{interval_, warp * kWarpSize + std::countr_zero(lanes), history.stamp()};
    program().fences.fence(id_, point, lanes, history.last_synced(), of_device);
    history.add_fence();
}

// What the warp does behind it has a later stamp. A grid that starts here has intervals between the
// block's own.
std::uint32_t RunningBlock::note_launch(int thread, cudaStream_t stream) {
    Program& all = program();
    WarpHistory& history = history_[thread / kWarpSize];
    all.launches.push_back({grid_,
                            id_,
                            worker_->block(),
                            phase_,
                            {interval_, thread, history.stamp()},
                            history,
                            stream});
    history.add_fence();
    others_end_ = kNever;
    return static_cast<std::uint32_t>(all.launches.size() - 1);
}

const Shadow* RunningBlock::find_shadow(Space space, std::uintptr_t address) const {
    const Program& all = program();
    const bool shared = space == Space::shared;
    const Shadow& first = shared ? static_shared_ : all.global;
    const Shadow& second = shared ? dynamic_shared_ : all.data;
    if (first.covers(address)) return &first;
    return second.covers(address) ? &second : nullptr;  // nullptr: registered host memory
}

// ---- One word

// Cheap: whether the access may be unordered with one of now.
template <Space kSpace>
bool RunningBlock::suspicious(const Access& access, const Access& now) const {
    if (access.interval == interval_) return access.thread() != now.thread();
    // Shared memory is this block's own, and a barrier lies between.
    if constexpr (kSpace == Space::shared) return false;
    return access.interval >= first_of_grids_ && access.interval < others_end_;
}

bool RunningBlock::is_ordered(const Access& earlier, const Access& now) const {
    const Program& all = program();
    if (earlier.interval < all.first_of_grids) {
        return all.tasks.unordered_kernel(earlier.interval) == nullptr;
    }
    const IntervalRecord& record = all.intervals[earlier.interval - all.first_of_grids];
    const WarpHistory& history = history_[now.warp()];
    if (record.block == id_) {
        if (earlier.interval != interval_ || earlier.thread() == now.thread()) return true;
        if (earlier.warp() == now.warp() &&
            history.orders(earlier.thread() % kWarpSize, earlier.stamp(),
                           now.thread() % kWarpSize)) {
            return true;
        }
    } else if (all.blocks[record.block].grid != grid_) {
        if (is_ordered_by_launch(earlier, record)) return true;
    } else if (record.phase < phase_) {
        return true;
    }
    return all.fences.in_use() &&
           all.fences.orders(record.block, earlier, id_, {interval_, now.thread(), history.stamp()},
                             history.last_synced());
}

// Two grids, and the launches by which they come from the one that is an ancestor of both.
struct Kinship {
    GridId ancestor;
    const LaunchRecord* earlier = nullptr;  // nullptr: it is the ancestor itself
    const LaunchRecord* later = nullptr;
};

Kinship kinship(GridId earlier, GridId later) {
    const Program& all = program();
    Kinship result{};
    while (earlier != later) {
        const GridRecord& a = all.grids[earlier];
        const GridRecord& b = all.grids[later];
        if (a.depth >= b.depth) {
            result.earlier = &all.launches[a.launch];
            earlier = a.parent;
        } else {
            result.later = &all.launches[b.launch];
            later = b.parent;
        }
    }
    result.ancestor = earlier;
    return result;
}

// Whether the launching thread had done this before the launch, or knew of it by a barrier.
bool is_before_launch(const Access& access, const IntervalRecord& record,
                      const LaunchRecord& launch) {
    if (record.block != launch.block) return record.phase < launch.phase;
    const Point& point = launch.point;
    if (access.interval != point.interval) return access.interval < point.interval;
    if (access.thread() == point.thread) {
        return access.stamp() <= point.stamp || access.stamp() == Access::kMaxStamp;
    }
    return access.warp() == point.thread / kWarpSize &&
           launch.history.orders(access.thread() % kWarpSize, access.stamp(),
                                 point.thread % kWarpSize);
}

// CUDA C++ Programming Guide, "CUDA Dynamic Parallelism", "Execution Environment and Memory Model":
// a child sees what its launching thread saw; streams, and the tail launch, wait for what they
// follow, with all that it launched; a parent waits for nothing.
bool RunningBlock::is_ordered_by_launch(const Access& earlier, const IntervalRecord& record) const {
    const Program& all = program();
    const GridId grid = all.blocks[record.block].grid;
    const Kinship kin = kinship(grid, grid_);
    if (kin.later != nullptr) {
        const LaunchRecord& later = *kin.later;
        if (later.is_tail()) return true;
        if (kin.earlier == nullptr) {
            if (is_before_launch(earlier, record, later)) return true;
        } else if (same_stream(kin.earlier->stream, kin.earlier->block_number, later.stream,
                               later.block_number)) {
            return true;
        }
    }
    if (!all.fences.in_use()) return false;
    // What one of the launching threads had been told.
    for (GridId child = grid_; child != kin.ancestor; child = all.grids[child].parent) {
        const LaunchRecord& launch = all.launches[all.grids[child].launch];
        if (all.fences.orders(record.block, earlier, launch.block, launch.point,
                              launch.history.last_synced())) {
            return true;
        }
    }
    return false;
}

// What to say of a race between two grids.
void RunningBlock::describe_grids(const Access& earlier, const IntervalRecord& record,
                                  const Access& now, Finding& finding) const {
    const GridId grid = program().blocks[record.block].grid;
    const GridRecord& other = program().grids[grid];
    finding.actors.back().kernel = other.running != nullptr ? other.running->name() : other.name;
    const Kinship kin = kinship(grid, grid_);
    if (kin.earlier != nullptr && kin.later != nullptr) {
        finding.what = "with nothing that orders the two launches";
        finding.advice =
            "launch both into one stream, or the one that is to come last into "
            "cudaStreamTailLaunch";
        return;
    }
    const LaunchRecord* from_parent = kin.later != nullptr ? kin.later : kin.earlier;
    if (from_parent == nullptr) return;  // of two grids one at least was launched by device code
    const LaunchRecord& launch = *from_parent;
    const Access& of_parent = kin.later != nullptr ? earlier : now;
    const BlockId block = kin.later != nullptr ? record.block : id_;
    if (block == launch.block && of_parent.interval == launch.point.interval &&
        of_parent.thread() != launch.point.thread) {
        finding.what = "with no barrier before the launch";
        finding.advice = "put __syncthreads() before the launch";
    } else {
        finding.what = "with nothing that orders it with the launch";
        finding.advice =
            "do it before the launch, in the same block, or launch into cudaStreamTailLaunch, "
            "which waits for the whole grid";
    }
}

const char* past_of(Operation operation) {
    switch (operation) {
        case Operation::load:
            return "read";
        case Operation::store:
            return "wrote";
        case Operation::atomic:
            return "updated";
    }
    return "";
}

std::string present_of(Operation operation, Space space) {
    const std::string verb = operation == Operation::load    ? "reads "
                             : operation == Operation::store ? "writes "
                                                             : "updates ";
    return verb + (space == Space::shared ? "shared memory" : "global memory");
}

[[gnu::noinline]] void RunningBlock::check_conflict(const Cell& cell, const Access& earlier,
                                                    PlaceId place, const Access& now,
                                                    const Request& request, Operation did,
                                                    bool same_value) {
    if ((earlier.bytes() & now.bytes()) == 0 || (earlier.is_strong() && now.is_strong()) ||
        is_ordered(earlier, now)) {
        return;
    }
    // A read beside an atomic operation may be a guess that its thread's own one checks:
    // "assumed = *p; old = atomicCAS(p, assumed, …)".
    if (request.operation == Operation::load && did == Operation::atomic) {
        guesses_.try_emplace({&cell, now.thread()}, Guess{earlier, place, now, request.place,
                                                          request.space, request.operation, did});
    } else if (request.operation == Operation::atomic && did == Operation::load &&
               earlier.interval == interval_) {
        guesses_.try_emplace(
            {&cell, earlier.thread()},
            Guess{earlier, place, now, request.place, request.space, request.operation, did});
    } else {
        report_race(earlier, place, now, request.place, request.space, request.operation, did,
                    same_value);
    }
}

// Reads that no atomic operation of their threads has followed.
void RunningBlock::report_guesses() {
    for (const auto& [key, guess] : guesses_) {
        report_race(guess.earlier, guess.place, guess.now, guess.now_place, guess.space, guess.does,
                    guess.did, false);
    }
    guesses_.clear();
}

bool count_if_reported(std::uint64_t pair) {
    Program& all = program();
    if (std::exchange(all.reported_in, findings_generation()) != findings_generation()) {
        all.reported.clear();
    }
    const auto known = all.reported.find(pair);
    if (known == all.reported.end()) return false;
    count_again(known->second);
    return true;
}

void RunningBlock::report_race(const Access& earlier, PlaceId place, const Access& now,
                               PlaceId now_place, Space space, Operation does, Operation did,
                               bool same_value) {
    Program& all = program();
    if (earlier.interval < all.first_of_grids) {
        return report_race_of_streams(earlier, place, now, now_place, does, did);
    }
    const IntervalRecord& record = all.intervals[earlier.interval - all.first_of_grids];
    const bool same_block = record.block == id_;
    const bool same_grid = all.blocks[record.block].grid == grid_;
    const std::uint64_t pair =
        std::uint64_t{now_place} << 32 | std::uint64_t{place} << 16 |
        static_cast<std::uint64_t>(same_grid) << 4 | static_cast<std::uint64_t>(did) << 2 |
        static_cast<std::uint64_t>(same_block) << 1 | static_cast<std::uint64_t>(same_value);
    if (count_if_reported(pair)) return;
    const bool same_warp = same_block && earlier.warp() == now.warp();
    Finding finding;
    finding.kind = same_value   ? FindingKind::same_value_writes
                   : same_block ? FindingKind::race_in_block
                                : FindingKind::race_between_blocks;
    finding.kernel = worker_->grid().name();
    finding.actors.push_back(
        {worker_->block(), now.thread(), line_of(now_place), present_of(does, space)});
    finding.actors.push_back(
        {all.blocks[record.block].number, earlier.thread(), line_of(place), past_of(did)});
    if (!same_grid) describe_grids(earlier, record, now, finding);
    if (same_value) {
        finding.what = "the same value both times";
        finding.advice =
            "right on today's devices, but an atomic operation or one writer is cleaner";
    } else if (same_warp) {
        finding.what = "with no __syncwarp() between";
        finding.advice = "put __syncwarp() or __syncthreads() between the two";
    } else if (same_block) {
        finding.what = "with no barrier between";
        finding.advice = "put __syncthreads() between the two";
    } else if (same_grid) {
        finding.what = "with nothing that orders the two blocks";
        finding.advice =
            "use atomic operations, or a second kernel, or __threadfence() and an atomic flag";
    }
    all.reported[pair] = report(std::move(finding));
}

// What to say of a race between tasks of two streams.
void describe_streams(const TaskRecord& earlier, const TaskRecord& now, Finding& finding) {
    finding.kind = FindingKind::race_between_streams;
    finding.what = "with nothing that orders " + name_of_stream(now.stream) + " and " +
                   name_of_stream(earlier.stream);
    finding.advice =
        "let the one wait for an event of the other (cudaStreamWaitEvent()), or the host wait "
        "between the two";
}

Actor actor_of(const TaskRecord& task, SourceLine line, std::string did) {
    return {-1, 0, std::move(line), std::move(did), {}, task.name()};
}

void RunningBlock::report_race_of_streams(const Access& earlier, PlaceId place, const Access& now,
                                          PlaceId now_place, Operation does, Operation did) {
    Program& all = program();
    const std::uint64_t pair = std::uint64_t{now_place} << 32 | std::uint64_t{place} << 16 |
                               std::uint64_t{1} << 5 | static_cast<std::uint64_t>(did) << 2;
    if (count_if_reported(pair)) return;
    const TaskRecord& task = *all.tasks.unordered_kernel(earlier.interval);
    Finding finding;
    finding.kernel = worker_->grid().name();
    finding.actors.push_back(
        {worker_->block(), now.thread(), line_of(now_place), present_of(does, Space::global)});
    finding.actors.push_back(actor_of(task, line_of(place), past_of(did)));
    describe_streams(task, all.tasks.running(), finding);
    all.reported[pair] = report(std::move(finding));
}

// A kernel's request, with copies that ran before it though nothing says so.
[[gnu::noinline]] void RunningBlock::check_copies(int warp, const Request& request) {
    Program& all = program();
    for (const TaskRecord* copy : all.tasks.unordered_copies()) {
        for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1) {
            const int lane = std::countr_zero(lanes);
            const std::uintptr_t address = request.address[lane];
            const bool wrote = touches(copy->written, address, request.bytes);
            const bool read =
                request.operation != Operation::load && touches(copy->read, address, request.bytes);
            if (!wrote && !read) continue;
            const std::uint64_t pair = std::uint64_t{request.place} << 32 | std::uint64_t{1} << 5 |
                                       static_cast<std::uint64_t>(wrote);
            if (count_if_reported(pair)) break;
            Finding finding;
            finding.kernel = worker_->grid().name();
            finding.actors.push_back({worker_->block(), warp * kWarpSize + lane,
                                      line_of(request.place),
                                      present_of(request.operation, Space::global)});
            finding.actors.push_back(actor_of(*copy, copy->find_line(), wrote ? "wrote" : "read"));
            describe_streams(*copy, all.tasks.running(), finding);
            all.reported[pair] = report(std::move(finding));
            break;
        }
    }
}

void report_copy(const TaskRecord& earlier, SourceLine line, const char* did, bool writes) {
    const TaskRecord& copy = program().tasks.running();
    Finding finding;
    finding.actors.push_back(
        actor_of(copy, copy.find_line(), writes ? "writes memory" : "reads memory"));
    finding.actors.push_back(actor_of(earlier, std::move(line), did));
    describe_streams(earlier, copy, finding);
    report(std::move(finding));
}

// A row that the running copy reads or writes, with kernels that ran before it. True: one is named.
bool check_row_of_copy(std::uintptr_t begin, std::size_t bytes, bool writes) {
    const Program& all = program();
    const Shadow& shadow = all.global.covers(begin) ? all.global : all.data;
    if (!shadow.covers(begin)) return false;
    const auto conflicts = [&](const Access& access, std::uint32_t mask, PlaceId place,
                               const char* did) {
        if (access.interval < all.tasks.first_unordered() || (access.bytes() & mask) == 0) {
            return false;
        }
        const TaskRecord* const task = all.tasks.unordered_kernel(access.interval);
        if (task == nullptr) return false;
        report_copy(*task, line_of(place), did, writes);
        return true;
    };
    for (std::uintptr_t word = begin & ~std::uintptr_t{3}; word < begin + bytes; word += 4) {
        const Cell& cell = *shadow.cell(word);
        std::uint32_t mask = 0xf;
        if (word < begin) mask &= 0xfu << (begin - word);
        if (word + 4 > begin + bytes) mask &= 0xfu >> (word + 4 - begin - bytes);
        if (conflicts(cell.write, mask, cell.write_place,
                      cell.write.is_atomic() ? "updated" : "wrote") ||
            (writes && (conflicts(cell.read, mask, cell.read_place, "read") ||
                        conflicts(cell.other_read, mask, cell.other_place, "read")))) {
            return true;
        }
    }
    return false;
}

void check_copy() {
    const TaskOrder& tasks = program().tasks;
    const TaskRecord& copy = tasks.running();
    for (const TaskRecord* other : tasks.unordered_copies()) {
        if (touches(copy.written, other->written) || touches(copy.read, other->written)) {
            report_copy(*other, other->find_line(), "wrote", touches(copy.written, other->written));
        } else if (touches(copy.written, other->read)) {
            report_copy(*other, other->find_line(), "read", true);
        }
    }
    if (tasks.first_unordered() == TaskOrder::kNoInterval) return;
    for (const Rows* rows : {&copy.written, &copy.read}) {
        for (std::size_t row = 0; row < rows->height; ++row) {
            const auto begin = reinterpret_cast<std::uintptr_t>(rows->begin) + row * rows->pitch;
            if (check_row_of_copy(begin, rows->width, rows == &copy.written)) break;
        }
    }
}

// Two readers are kept: of two blocks if there are, else of two warps if there are, else the
// latest.
template <Space kSpace>
void RunningBlock::note_read(Cell& cell, const Access& now, PlaceId place) const {
    const Interval oldest = first_unordered<kSpace>();
    const auto replaceable = [&](const Access& access) {
        return access.interval < oldest ||
               (access.interval == interval_ && access.thread() == now.thread()) ||
               (access.interval >= others_end_ && access.interval < interval_);
    };
    const auto merged = [&](const Access& access) {
        const bool same = access.interval == interval_ && access.stamp() == now.stamp();
        return Access{interval_, same ? now.bits | access.bytes() << 4 : now.bits};
    };
    if (replaceable(cell.read)) {
        cell.read = merged(cell.read);
        cell.read_place = place;
        return;
    }
    const Access& other = cell.other_read;
    bool take = replaceable(other);
    if (!take && cell.read.interval == interval_) {
        const int warp = cell.read.warp();
        take = other.interval == interval_ && other.warp() == warp &&
               (warp != now.warp() || other.stamp() < now.stamp());
    } else if (!take) {
        take = other.interval != interval_;
    }
    if (take) {
        cell.other_read = replaceable(other) ? merged(other) : now;
        cell.other_place = place;
    }
}

// The common cases, in which nothing can be wrong. False: it is another one, and nothing is done.
template <Operation kOperation>
[[gnu::always_inline]] inline bool RunningBlock::check_quickly(Cell& cell, const Access& now,
                                                               std::uint16_t value, PlaceId place,
                                                               const Bounds& bounds) {
    if (kOperation == Operation::atomic || cell.write.interval >= bounds.first_unordered) {
        return false;
    }
    const Access& read = cell.read;
    const Access& other = cell.other_read;
    if (kOperation == Operation::store) {
        if (read.interval >= bounds.first_unordered || other.interval >= bounds.first_unordered ||
            now.bytes() != 0xf) {
            return false;
        }
        cell = {now,  {0, read.bits}, {0, other.bits}, place, cell.read_place, cell.other_place,
                value};
        return true;
    }
    if (read.interval < bounds.first_unordered) {
        cell.read = now;
        cell.read_place = place;
        return true;
    }
    // Two others have read it whom note_read() keeps.
    if (other.interval != now.interval || other.thread() == now.thread()) return false;
    if (read.interval != now.interval) return read.interval < bounds.others_end;
    return read.thread() != now.thread() && read.warp() != other.warp();
}

template <Space kSpace, Operation kOperation>
[[gnu::noinline]] void RunningBlock::check_word(Cell& cell, const Access& now, std::uint16_t value,
                                                const Request& request) {
    if (suspicious<kSpace>(cell.write, now)) {
        const bool same_value = kOperation == Operation::store && !cell.write.is_atomic() &&
                                cell.value == value && cell.write.bytes() == now.bytes();
        check_conflict(cell, cell.write, cell.write_place, now, request,
                       cell.write.is_atomic() ? Operation::atomic : Operation::store, same_value);
    }
    if constexpr (kOperation == Operation::load) {
        note_read<kSpace>(cell, now, request.place);
        return;
    }
    if (suspicious<kSpace>(cell.read, now)) {
        check_conflict(cell, cell.read, cell.read_place, now, request, Operation::load, false);
    }
    if (suspicious<kSpace>(cell.other_read, now)) {
        check_conflict(cell, cell.other_read, cell.other_place, now, request, Operation::load,
                       false);
    }
    if constexpr (kOperation == Operation::atomic) {
        if (!guesses_.empty()) guesses_.erase({&cell, now.thread()});
        for (Access* read : {&cell.read, &cell.other_read}) {
            if (read->interval == interval_ && read->thread() == now.thread()) read->interval = 0;
        }
        // A plain write by the same thread stays what others have to be ordered with.
        if (cell.write.interval == interval_ && cell.write.thread() == now.thread() &&
            !cell.write.is_strong()) {
            return;
        }
    } else if (now.bytes() == 0xf) {
        // What comes later and is ordered with this write is ordered with the reads before it.
        cell.read.interval = 0;
        cell.other_read.interval = 0;
    }
    cell.write = now;
    cell.write_place = request.place;
    cell.value = value;
}

// A word counts as written when one of its bytes was; a wide access when one of its words was: what
// fills the gaps of a struct need not be.
bool RunningBlock::is_written(const Cell* cell, unsigned words) const {
    return std::any_of(cell, cell + words, [&](const Cell& word) {
        return word.write.interval >= first_ && !word.write.updated_unwritten();
    });
}

// Another thread may write it before the next barrier: that is then a race, and reported so.
[[gnu::noinline]] void RunningBlock::note_unwritten(const Cell* cell, unsigned words, int thread,
                                                    std::uintptr_t address,
                                                    const Request& request) {
    if (is_written(cell, words)) return;
    const auto known =
        std::find_if(unwritten_.begin(), unwritten_.end(),
                     [&](const UnwrittenRead& read) { return read.place == request.place; });
    // One of a line is enough, as long as it is one that nobody writes.
    constexpr std::size_t kMaxNoted = 4096;
    if (known != unwritten_.end() && unwritten_.size() >= kMaxNoted) return;
    unwritten_.push_back({cell, words, thread, address, request.place, request.operation});
}

void RunningBlock::report_unwritten() {
    for (const UnwrittenRead& read : unwritten_) {
        if (is_written(read.cell, read.words)) continue;
        Finding finding;
        finding.kind = FindingKind::uninitialised_shared;
        finding.kernel = worker_->grid().name();
        finding.actors.push_back({worker_->block(), read.thread, line_of(read.place),
                                  present_of(read.operation, Space::shared)});
        finding.what =
            "which no thread of the block has written: " + describe_shared(*worker_, read.address);
        finding.advice = "it holds whatever an earlier block left: write it first";
        report(std::move(finding));
    }
    unwritten_.clear();
}

// ---- One request

// The first lanes of a warp load words side by side.
template <Space kSpace>
void RunningBlock::check_loaded_row(const Shadow& shadow, int warp, const Request& request) {
    constexpr std::uint32_t kNextThread = Access::pack(1, 0, 0, 0);
    const Bounds bounds{first_unordered<kSpace>(), others_end_};
    const PlaceId place = request.place;
    const Interval first = first_;
    Access now{interval_, Access::pack(warp * kWarpSize, history_[warp].stamp(), 0xf, 0)};
    Cell* cell = shadow.cell(request.address[0]);
    Cell* const end = cell + std::bit_width(request.lanes);
    for (; cell != end; ++cell, now.bits += kNextThread) {
        if constexpr (kSpace == Space::shared) {
            if (cell->write.interval < first) [[unlikely]] {
                const int thread = now.thread();
                note_unwritten(cell, 1, thread, request.address[thread % kWarpSize], request);
            }
        }
        if (!check_quickly<Operation::load>(*cell, now, 0, place, bounds)) {
            check_word<kSpace, Operation::load>(*cell, now, 0, request);
        }
    }
}

template <Space kSpace, Operation kOperation>
void RunningBlock::check_lanes(int warp, const Request& request) {
    const unsigned words = request.bytes <= 4 ? 1 : request.bytes / 4;
    const std::uint32_t stamp = history_[warp].stamp();
    const std::uint32_t flags = (kOperation == Operation::atomic ? Access::kAtomic : 0) |
                                (request.is_volatile ? Access::kVolatile : 0);
    std::uint32_t lanes = request.lanes;
    if constexpr (kOperation == Operation::load) {
        // A word that all lanes read needs no more than two of them.
        const std::uintptr_t first = request.address[std::countr_zero(lanes)];
        bool same = request.pattern != Pattern::side_by_side;
        if (request.pattern == Pattern::scattered) {
            for (std::uint32_t rest = lanes; rest != 0 && same; rest &= rest - 1) {
                same = request.address[std::countr_zero(rest)] == first;
            }
        }
        if (same) {
            const std::uint32_t second = lanes & (lanes - 1);
            lanes = (lanes & (0u - lanes)) | (second & (0u - second));
        }
    }
    const Bounds bounds{first_unordered<kSpace>(), others_end_};
    const Shadow* shadow = nullptr;
    if (kOperation == Operation::load && request.pattern == Pattern::side_by_side &&
        request.bytes == 4 && !request.is_volatile && races_on) {
        shadow = find_shadow(kSpace, request.address[0]);
        const std::uintptr_t last = request.address[std::bit_width(lanes) - 1];
        if (shadow != nullptr && shadow->covers(last) && last % 4 == 0) {
            return check_loaded_row<kSpace>(*shadow, warp, request);
        }
    }
    for (; lanes != 0; lanes &= lanes - 1) {
        const int lane = std::countr_zero(lanes);
        const std::uintptr_t address = request.address[lane];
        if (shadow == nullptr || !shadow->covers(address)) [[unlikely]] {
            shadow = find_shadow(kSpace, address);
            if (shadow == nullptr) continue;
        }
        Cell* const cell = shadow->cell(address);
        const int thread = warp * kWarpSize + lane;
        if constexpr (kSpace == Space::shared && kOperation != Operation::store) {
            if (cell->write.interval < first_) {
                note_unwritten(cell, words, thread, address, request);
            }
        }
        Access now{interval_, Access::pack(thread, stamp, bytes_of(address, request.bytes), flags)};
        if constexpr (kSpace == Space::shared && kOperation == Operation::atomic) {
            if (!request.is_volatile && !is_written(cell, words)) {
                now.bits |= Access::kUpdatedUnwritten;
            }
        }
        if (!races_on) {
            if (kOperation != Operation::load) {
                for (unsigned i = 0; i < words; ++i) cell[i].write = now;
            }
            continue;
        }
        const std::uint32_t* values = nullptr;
        if constexpr (kOperation == Operation::store) values = request.words[lane];
        for (unsigned i = 0; i < words; ++i) {
            const std::uint16_t value = values != nullptr ? hash_of(values[i]) : std::uint16_t{0};
            if (!check_quickly<kOperation>(cell[i], now, value, request.place, bounds)) {
                check_word<kSpace, kOperation>(cell[i], now, value, request);
            }
        }
    }
}

// ---- Global memory that nobody wrote

// Of one place; behind those of a race.
constexpr std::uint64_t pair_of_unwritten(PlaceId place) { return std::uint64_t{place} << 32; }

// A read counts as one of written memory when one of its bytes is written: what fills the gaps of a
// struct, or the end of a row of vectors, need not be.
void RunningBlock::report_unwritten(int thread, std::uintptr_t address, const Request& request) {
    Program& all = program();
    Allocation allocation;
    if (!find_allocation(reinterpret_cast<const void*>(address), allocation)) return;
    if (allocation.kind != MemoryKind::device) {
        // The host may have written it without a call.
        return all.written.set(address, request.bytes);
    }
    const std::uint64_t pair = pair_of_unwritten(request.place);
    if (count_if_reported(pair)) return;
    const std::string bytes =
        std::to_string(request.bytes) + (request.bytes == 1 ? " byte" : " bytes");
    Finding finding;
    finding.kind = FindingKind::uninitialised_global;
    finding.kernel = worker_->grid().name();
    finding.actors.push_back(
        {worker_->block(), thread, line_of(request.place),
         (request.operation == Operation::atomic ? "updates " : "reads ") + bytes});
    finding.what = "which nobody has written: byte " +
                   std::to_string(address - reinterpret_cast<std::uintptr_t>(allocation.begin)) +
                   " of allocation " + std::to_string(allocation.id) + ", of " +
                   std::to_string(allocation.bytes);
    finding.advice =
        "cudaMalloc() clears nothing: write it first, by cudaMemset(), a copy or a kernel";
    all.reported[pair] = report(std::move(finding));
}

[[gnu::noinline]] void RunningBlock::check_unwritten(int warp, const Request& request) {
    WrittenBytes& written = program().written;
    // An exchange takes any value.
    const bool reads = request.operation == Operation::load ||
                       (request.operation == Operation::atomic && !request.is_volatile);
    const bool writes = request.operation != Operation::load;
    for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1) {
        const int lane = std::countr_zero(lanes);
        const std::uintptr_t address = request.address[lane];
        if (!written.covers(address)) continue;
        if (reads && !written.has_any(address, request.bytes)) {
            report_unwritten(warp * kWarpSize + lane, address, request);
        }
        if (writes) written.set(address, request.bytes);
    }
}

// Mostly all is written: then there is nothing to do.
void RunningBlock::check_written(int warp, const Request& request) {
    const WrittenBytes& written = program().written;
    const std::uintptr_t first = request.address[std::countr_zero(request.lanes)];
    if (request.pattern != Pattern::scattered) {
        const std::size_t bytes = request.pattern == Pattern::same
                                      ? request.bytes
                                      : std::size_t{request.bytes} * std::bit_width(request.lanes);
        if (!written.covers(first) || written.has_all(first, bytes)) return;
    } else {
        bool all = true;
        for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1) {
            const std::uintptr_t address = request.address[std::countr_zero(lanes)];
            all &= !written.covers(address) || written.has_all(address, request.bytes);
        }
        if (all) return;
    }
    check_unwritten(warp, request);
}

// ---- One request of any kind

void RunningBlock::note_strong_accesses(int warp, const Request& request, std::uint32_t stamp) {
    const bool is_atomic = request.operation == Operation::atomic;
    for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1) {
        const int lane = std::countr_zero(lanes);
        program().fences.strong_access(id_, {interval_, warp * kWarpSize + lane, stamp},
                                       history_[warp].last_synced(), request.address[lane] & ~3ul,
                                       is_atomic || request.operation == Operation::load,
                                       is_atomic || request.operation == Operation::store);
    }
}

void RunningBlock::check(int warp, const Request& request) {
    using enum Operation;
    if (request.space == Space::shared) {
        switch (request.operation) {
            case load:
                check_lanes<Space::shared, load>(warp, request);
                break;
            case store:
                check_lanes<Space::shared, store>(warp, request);
                break;
            case atomic:
                check_lanes<Space::shared, atomic>(warp, request);
                break;
        }
    } else if (request.space == Space::global) {
        if (host_touched_words) check_kernel_against_host(*worker_, warp, request);
        check_written(warp, request);
        if (!races_on) return;
        if (!program().tasks.unordered_copies().empty()) check_copies(warp, request);
        switch (request.operation) {
            case load:
                check_lanes<Space::global, load>(warp, request);
                break;
            case store:
                check_lanes<Space::global, store>(warp, request);
                break;
            case atomic:
                check_lanes<Space::global, atomic>(warp, request);
                break;
        }
    }
    if (races_on && (request.operation == atomic || request.is_volatile) &&
        program().fences.in_use()) {
        note_strong_accesses(warp, request, history_[warp].stamp());
    }
}

// ---- EMULATOR_SHIFT=FILE:LINE

// Whether the accesses of a place are to be checked as if they were of the next element.
bool is_shifted(PlaceId place) {
    static const char* const wanted = std::getenv("EMULATOR_SHIFT");
    if (wanted == nullptr || *wanted == '\0') return false;
    static auto* known = new std::unordered_map<PlaceId, bool>;
    const auto [entry, is_new] = known->try_emplace(place, false);
    if (is_new) entry->second = line_of(place).text() == wanted;
    return entry->second;
}

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
    if (shifted.lanes != 0) block.check(warp, shifted);
}

RunningBlock& running(Worker& worker) {
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

}  // namespace

volatile std::sig_atomic_t time_is_up = 0;

void set_races(bool on) { races_on = on; }

void cover_memory(std::uintptr_t arena, std::size_t bytes) {
    Program& all = program();
    all.global.cover(arena, bytes);
    all.written.cover(arena, bytes);
    std::uintptr_t begin = ~std::uintptr_t{0};
    std::uintptr_t end = 0;
    for (const Section& section : data_sections()) {
        if (!section.writable) continue;
        begin = std::min(begin, section.begin);
        end = std::max(end, section.begin + section.bytes);
    }
    if (begin < end) all.data.cover(begin, end - begin);
}

void forget_memory(std::uintptr_t begin, std::size_t bytes) {
    program().global.forget(begin, bytes);
    program().written.clear(begin, bytes);
}

void note_written(std::uintptr_t begin, std::size_t bytes, std::uintptr_t source) {
    WrittenBytes& written = program().written;
    if (!written.covers(begin)) return;
    if (source != 0 && written.covers(source)) {
        written.copy(begin, source, bytes);
    } else {
        written.set(begin, bytes);
    }
}

void begin_task_checks(std::uint64_t stream, std::uint64_t sequence, const Clock& before) {
    Program& all = program();
    all.task_stream = stream;
    all.task_sequence = sequence;
    all.task_before = &before;
}

void begin_work_checks(const QueuedWork& work, std::function<SourceLine()> find_line) {
    if (!races_on) return;
    Program& all = program();
    all.tasks.begin({all.task_stream, all.task_sequence, *all.task_before, all.last_interval + 1,
                     work.kernel, work.written, work.read, std::move(find_line)});
    if (all.tasks.running().is_copy()) check_copy();
}

void forget_tasks() { program().tasks.forget_all(); }

void begin_grid_checks(const Grid& grid) {
    Program& all = program();
    ++all.running_grids;
    const Interval first = all.last_interval + 1;
    GridRecord record{&grid, "", 0, 0, 0, grid.blocks, first, kNever, kNever};
    if (grid.from_device) {
        record.launch = grid.launch_note;
        const LaunchRecord& launch = all.launches[grid.launch_note];
        GridRecord& parent = all.grids[launch.grid];
        record.parent = launch.grid;
        record.depth = parent.depth + 1;
        record.first_unordered = parent.first_unordered;
        if (!launch.is_tail()) {
            const Interval of_parent = parent.blocks == 1 ? launch.point.interval : parent.first;
            record.first_unordered =
                std::min({record.first_unordered, of_parent, parent.first_child});
        }
        parent.first_child = std::min(parent.first_child, first);
    } else {
        record.first_unordered = all.tasks.first_unordered();
        all.first_of_grids = first;
        all.intervals.clear();
        all.blocks.clear();
        all.grids.clear();
        all.grid_ids.clear();
        all.launches.clear();
        all.fences.clear();
    }
    all.grid_ids[grid.serial] = static_cast<GridId>(all.grids.size());
    all.grids.push_back(record);
}

void end_grid_checks(const Grid& grid) {
    Program& all = program();
    --all.running_grids;
    const auto id = all.grid_ids.find(grid.serial);
    GridRecord& record = all.grids[id->second];
    record.running = nullptr;
    if (grid.kernel.name != nullptr) record.name = grid.kernel.name;
    all.grid_ids.erase(id);
}

void begin_block_checks(Worker& worker) {
    enter_block(worker);
    running(worker).begin(worker);
}

void end_block_checks(Worker& worker) { running(worker).finish_interval(); }

void order_block(Worker& worker, bool of_grid) {
    RunningBlock& block = running(worker);
    block.arrived.complete(worker);
    block.finish_interval();
    block.next_interval(of_grid);
}

std::uint32_t note_launch(Worker& worker, int thread, cudaStream_t stream) {
    return running(worker).note_launch(thread, stream);
}

void order_warp(Worker& worker, int warp, std::uint32_t mask) {
    running(worker).sync_warp(warp, mask);
}

void order_fence(Worker& worker, int warp, std::uint32_t lanes, bool of_device) {
    if (lanes != 0) running(worker).fence(warp, lanes, of_device);
}

void check_barrier(Worker& worker, int thread, const void* code) {
    running(worker).arrived.add(thread, code);
}

void check_collective(Worker& worker, int thread, const void* code) {
    running(worker).arrived.add_collective(thread, code);
}

void report_deadlock(Worker& worker) { running(worker).arrived.report_deadlock(worker); }

void check_time(Worker& worker) {
    if (!time_is_up) return;
    time_is_up = 0;
    Finding finding;
    finding.kind = FindingKind::endless_kernel;
    finding.kernel = worker.grid().name();
    finding.actors.push_back({worker.block(), current_thread->linear_index,
                              line_of(running(worker).last_place), "is still running"});
    finding.what = "with the block's time used up";
    finding.advice =
        "look for a loop without an end, or a wait for what another thread has still to do; "
        "EMULATOR_TIME_LIMIT=SECONDS allows more";
    report(std::move(finding));
    worker.grid().fail(cudaErrorLaunchTimeout);
    worker.abandon_block();
}

void check_request(Worker& worker, int warp, const Request& request) {
    RunningBlock& block = running(worker);
    block.last_place = request.place;
    if (is_shifted(request.place)) return check_shifted(block, worker, warp, request);
    block.check(warp, request);
}

}  // namespace emulator::counting
