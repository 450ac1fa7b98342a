// SPDX-License-Identifier: MIT
#include "common/emulator/counting/checks/races/checked_block.hpp"

#include <algorithm>
#include <bit>

namespace emulator::counting {
namespace {

// Whether the launching thread made this access before the launch, or a barrier orders the access
// before the launch.
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

}  // namespace

void CheckedBlock::begin(Worker& new_worker) {
    Program& all = program();
    worker = &new_worker;
    const Grid& own_grid = new_worker.grid();
    grid = all.grid_ids.at(own_grid.serial);
    first_of_grids = std::min(all.grids[grid].first, all.grids[grid].first_unordered);
    id = static_cast<BlockId>(all.blocks.size());
    all.blocks.push_back({grid, new_worker.block()});
    phase = 0;
    proxy_fences.clear();
    phases.begin_block(static_cast<int>(new_worker.threads().size()));
    begin_interval(false);
    first = interval;
    const bool alternate = own_grid.configuration.cooperative || all.running_grids > 1;
    others_end = alternate ? kNever : first;
}

void CheckedBlock::begin_interval(bool after_grid_barrier) {
    Program& all = program();
    phase += after_grid_barrier;
    interval = ++all.last_interval;
    all.intervals.push_back({id, phase});
    for (WarpHistory& of_warp : history) of_warp.clear();
    phases.begin_interval();
}

void CheckedBlock::fence(int warp, std::uint32_t lanes, bool of_device) {
    WarpHistory& of_warp = history[warp];
    const Point point{interval, warp * kWarpSize + std::countr_zero(lanes), of_warp.stamp()};
    program().fences.fence(id, point, lanes, of_warp.last_synced(), of_device);
    of_warp.add_fence();
}

// Later accesses of the warp get a larger stamp. The intervals of a grid that starts here lie
// between the block's own.
std::uint32_t CheckedBlock::note_launch(int thread, cudaStream_t stream) {
    Program& all = program();
    WarpHistory& of_warp = history[thread / kWarpSize];
    all.launches.push_back(
        {grid, id, worker->block(), phase, {interval, thread, of_warp.stamp()}, of_warp, stream});
    of_warp.add_fence();
    others_end = kNever;
    return static_cast<std::uint32_t>(all.launches.size() - 1);
}

bool CheckedBlock::is_ordered(const Access& earlier, const Access& now) const {
    const Program& all = program();
    if (earlier.interval < all.first_of_grids) {
        return all.tasks.unordered_kernel(earlier.interval) == nullptr;
    }
    const IntervalRecord& record = all.interval(earlier.interval);
    const WarpHistory& of_warp = history[now.warp()];
    if (record.block == id) {
        if (earlier.interval != interval) return true;
        const bool is_copy = earlier.is_tracked_copy();
        if (earlier.thread() == now.thread() && !is_copy) return true;
        if (earlier.warp() == now.warp() && !is_copy &&
            of_warp.orders(earlier.thread() % kWarpSize, earlier.stamp(),
                           now.thread() % kWarpSize)) {
            return true;
        }
        if (phases.in_use() && phases.orders(earlier, now.thread())) return true;
    } else if (all.blocks[record.block].grid != grid) {
        if (is_ordered_by_launch(earlier, record)) return true;
    } else if (record.phase < phase) {
        return true;
    }
    if (!all.fences.in_use()) return false;
    if (record.block != id && all.blocks_are_missing) return true;
    return all.fences.orders(record.block, earlier, id, {interval, now.thread(), of_warp.stamp()},
                             of_warp.last_synced());
}

// CUDA C++ Programming Guide, "CUDA Dynamic Parallelism", "Execution Environment and Memory Model":
// a child grid sees the memory as its launching thread saw it. A stream and the tail launch wait
// for earlier grids, and for the grids that these launched. A parent waits for nothing.
bool CheckedBlock::is_ordered_by_launch(const Access& earlier, const IntervalRecord& record) const {
    const Program& all = program();
    const Kinship kin = kinship(all.blocks[record.block].grid, grid);
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
    // By fences, with what one of the launching threads knew.
    for (GridId child = grid; child != kin.ancestor; child = all.grids[child].parent) {
        const LaunchRecord& launch = all.launches[all.grids[child].launch];
        if (all.fences.orders(record.block, earlier, launch.block, launch.point,
                              launch.history.last_synced())) {
            return true;
        }
    }
    return false;
}

}  // namespace emulator::counting
