// SPDX-License-Identifier: MIT
// What the checks of races remember of the whole program: intervals, blocks, grids, launches by
// kernels, fences and the tasks of streams.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "common/emulator/counting/checks/memory/shadow.hpp"
#include "common/emulator/counting/checks/races/order.hpp"
#include "common/emulator/counting/checks/races/tasks.hpp"
#include "common/emulator/engine/grid.hpp"
#include "common/emulator/process/settings.hpp"
#include "common/emulator/runtime/clock.hpp"

namespace emulator::counting {

struct IntervalRecord {
    BlockId block;
    std::uint32_t phase;  // how many barriers of the whole grid came before it
};

// Grids that come from one launch by the host: its own grid, and those that kernels launched.
using GridId = std::uint32_t;

struct BlockRecord {
    GridId grid;
    std::int64_t number;
};

// A launch by a kernel: the point of the launch in the execution of the launching thread.
struct LaunchRecord {
    GridId grid;  // the launching one
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
    const char* name;  // set when it has ended
    std::uint32_t launch;  // of a grid that a kernel launched
    GridId parent;
    int depth;
    std::int64_t blocks;
    Interval first;
    Interval first_child;  // the first interval of all grids that it launched; kNever: none
    Interval first_unordered;  // the first interval of all unordered grids
};

constexpr Interval kNever = ~Interval{0};

struct Program {
    bool races_on = true;
    Interval last_interval = 0;
    // Earlier intervals belong to earlier tasks. No grid was running at that time.
    Interval first_of_grids = 1;
    int running_grids = 0;
    // Some blocks of the running grids are not recorded, and so neither are the fences and the
    // accesses by which they order other blocks.
    bool blocks_are_missing = false;
    std::vector<IntervalRecord> intervals;  // from first_of_grids on
    std::vector<BlockRecord> blocks;
    std::vector<GridRecord> grids;
    std::unordered_map<std::uint64_t, GridId> grid_ids;  // by serial number; running grids only
    std::vector<LaunchRecord> launches;
    FenceOrder fences;
    TaskOrder tasks;
    // The running task, as its stream describes it.
    TaskPlace task_place;
    Clock task_before;
    Shadow global;  // of the arena of cudaMalloc()
    std::array<Shadow, kMaxDevices> data;  // of the executable's variables: each device has its own

    const Shadow& data_now() const { return data[static_cast<std::size_t>(task_place.device)]; }

    const IntervalRecord& interval(Interval number) const {
        return intervals[number - first_of_grids];
    }
};

inline Program& program() {
    static auto* state = new Program;  // never destroyed: static destructors may run kernels
    return *state;
}

// A grid starts or ends.
void begin_grid_record(const Grid& grid);
void end_grid_record(const Grid& grid);

// How two grids come from their closest common ancestor.
struct Kinship {
    GridId ancestor;
    const LaunchRecord* earlier = nullptr;  // nullptr: the earlier grid is the ancestor
    const LaunchRecord* later = nullptr;  // nullptr: the later grid is the ancestor
};
Kinship kinship(GridId earlier, GridId later);

}  // namespace emulator::counting
