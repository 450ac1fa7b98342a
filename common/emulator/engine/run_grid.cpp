// SPDX-License-Identifier: MIT
#include "common/emulator/engine/run_grid.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>

#include "common/emulator/engine/grid_barrier.hpp"
#include "common/emulator/engine/helper.hpp"
#include "common/emulator/engine/hooks.hpp"
#include "common/emulator/engine/kernel_faults.hpp"
#include "common/emulator/engine/worker.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/process/settings.hpp"
#include "common/emulator/process/time_limit.hpp"
#include "common/emulator/timeline/timeline.hpp"

namespace emulator {
namespace {

thread_local int waiting_blocks = 0;

// Grids that launch grids, or a grid of very many blocks, may run for ever although no block does.
bool is_overdue(Grid& grid) {
    if (!launch_is_overdue(grid.root, grid.from_device)) return false;
    if (!grid.failed.exchange(true)) {
        if (hooks.launch_overdue != nullptr) {
            hooks.launch_overdue(grid);
        } else {
            explain("kernel %s: %s (%s)", grid.name().c_str(), describe_overdue_launch().c_str(),
                    cudaGetErrorName(cudaErrorLaunchTimeout));
        }
        grid.fail(cudaErrorLaunchTimeout);
    }
    return true;
}

// The order in which a grid's blocks start: a bijection of [0, count).
class BlockOrder {
  public:
    explicit BlockOrder(const Grid& grid) : count_(static_cast<std::uint64_t>(grid.blocks)) {
        const Schedule& schedule = settings().schedule;
        if (schedule.order == Schedule::Order::reversed) {
            step_ = count_ - 1;
            first_ = count_ - 1;
        } else if (schedule.order == Schedule::Order::shuffled) {
            // A stride without a common divisor visits every block once, without a table.
            const std::uint64_t random = mix_bits(schedule.seed ^ mix_bits(grid.serial));
            first_ = random % count_;
            step_ = mix_bits(random) % count_;
            while (std::gcd(step_, count_) != 1) step_ = (step_ + 1) % count_;
        }
    }

    std::int64_t operator[](std::int64_t position) const {
        const auto wide =
            static_cast<unsigned __int128>(step_) * static_cast<std::uint64_t>(position);
        return static_cast<std::int64_t>(static_cast<std::uint64_t>((wide + first_) % count_));
    }

  private:
    std::uint64_t count_;
    std::uint64_t first_ = 0;
    std::uint64_t step_ = 1;
};

// The blocks that no worker has taken yet.
struct BlockQueue {
    explicit BlockQueue(Grid& its_grid) : grid(its_grid), order(its_grid), end(its_grid.blocks) {}

    bool run_one(Worker& worker) {
        const std::int64_t position = next.fetch_add(1, std::memory_order_relaxed);
        if (position >= end || grid.failed.load(std::memory_order_relaxed) || is_overdue(grid)) {
            return false;
        }
        worker.run_block(grid, order[position]);
        return true;
    }

    Grid& grid;
    BlockOrder order;
    std::int64_t end;
    std::atomic<std::int64_t> next = 0;
};

// Starts alone and takes helpers only when that is worth it: to wake one takes tens of
// microseconds. A program of many small grids thus runs on one thread.
void run_blocks_shared(BlockQueue& queue) {
    using Clock = std::chrono::steady_clock;
    constexpr auto kAlone = std::chrono::microseconds(50);
    const Grid& grid = queue.grid;
    Worker& worker = Worker::current();
    const auto start = Clock::now();
    do {
        if (!queue.run_one(worker)) return;
    } while (Clock::now() - start < kAlone);
    std::vector<std::unique_ptr<Helper>> helpers;
    const std::int64_t left = queue.end - queue.next;
    const auto wanted =
        static_cast<std::size_t>(std::clamp<std::int64_t>(left - 1, 0, grid.workers - 1));
    while (helpers.size() < wanted) {
        std::unique_ptr<Helper> helper = Helper::take();
        if (helper == nullptr) break;
        helper->start([&queue] {
            const LaunchWatch watch(queue.grid.root, queue.grid.from_device);
            while (queue.run_one(Worker::current())) {
            }
        });
        helpers.push_back(std::move(helper));
    }
    while (queue.run_one(worker)) {
    }
    for (auto& helper : helpers) {
        helper->wait();
        Helper::give_back(std::move(helper));
    }
}

// The blocks that an observer looks at run one after the other, in the schedule's order.
void run_blocks_alone(Grid& grid) {
    BlockQueue queue(grid);
    Worker& worker = Worker::current();
    const bool may_share = hooks.blocks_to_leave_out != nullptr && waiting_blocks == 0;
    while (!grid.failed && queue.next < grid.blocks) {
        const std::int64_t first = queue.next;
        const std::int64_t left_out = may_share ? hooks.blocks_to_leave_out(grid) : 0;
        if (left_out == 0) {
            queue.run_one(worker);
            continue;
        }
        queue.end = std::min(first + left_out, grid.blocks);
        run_blocks_shared(queue);
        hooks.blocks_left_out(grid);
        queue.next = queue.end;  // each worker has asked for one more
        queue.end = grid.blocks;
    }
}

// ---- Cooperative grids

void run_cooperative_block(Grid& grid, std::int64_t position, std::int64_t block) {
    grid.barrier->enter(position);
    if (!grid.failed) Worker::current().run_block(grid, block);
    grid.barrier->leave();
}

// All blocks at once, because all must reach the barrier: one OS thread per block, which also
// separates their shared memories.
void run_cooperative_blocks(Grid& grid) {
    const auto on_deadlock = [&grid](std::int64_t waiting) {
        explain(
            "kernel %s: deadlock, %lld of %lld blocks wait for ever at the grid's barrier: the "
            "others have returned",
            grid.name().c_str(), static_cast<long long>(waiting),
            static_cast<long long>(grid.blocks));
        grid.fail(cudaErrorLaunchFailure);
    };
    // An observer looks at one block at a time, and sees when it polls.
    using Turns = GridBarrier::Turns;
    const Turns turns = grid.workers > 1              ? Turns::none
                        : hooks.warp_polls != nullptr ? Turns::strict
                                                      : Turns::while_short;
    GridBarrier barrier(grid.blocks, turns, on_deadlock);
    grid.barrier = &barrier;
    std::vector<std::unique_ptr<Helper>> helpers;
    for (std::int64_t block = 1; block < grid.blocks; ++block) {
        helpers.push_back(Helper::take());
        if (helpers.back() == nullptr) {
            explain(
                "kernel %s: its cooperative blocks need %lld threads, but the system gives only "
                "%lld",
                grid.name().c_str(), static_cast<long long>(grid.blocks),
                static_cast<long long>(block));
            grid.fail(cudaErrorLaunchOutOfResources);
            helpers.pop_back();
            break;
        }
    }
    const BlockOrder order(grid);
    if (!grid.failed) {
        for (std::size_t i = 0; i < helpers.size(); ++i) {
            const auto position = static_cast<std::int64_t>(i) + 1;
            const std::int64_t block = order[position];
            helpers[i]->start([&grid, position, block] {
                const LaunchWatch watch(grid.root, grid.from_device);
                run_cooperative_block(grid, position, block);
            });
        }
        run_cooperative_block(grid, 0, order[0]);
    }
    for (auto& helper : helpers) {
        helper->wait();
        Helper::give_back(std::move(helper));
    }
    grid.barrier = nullptr;
}

timeline::GridSpan span_of(const Grid& grid, std::uint64_t begin) {
    timeline::GridSpan span{.serial = grid.serial, .name = grid.name()};
    if (grid.from_device) {
        span.parent = std::to_string(grid.parent) + ":" + std::to_string(grid.parent_block) + ":" +
                      std::to_string(grid.parent_thread);
    }
    span.queued = grid.launch_tick;
    span.begin = begin;
    span.grid_dim = grid.configuration.grid_dim;
    span.block_dim = grid.configuration.block_dim;
    span.shared_bytes = grid.configuration.shared_bytes;
    span.kernel = grid.kernel.address;
    return span;
}

void run_blocks(Grid& grid) {
    const LaunchWatch watch(grid.root, grid.from_device);
    if (hooks.grid_begin != nullptr) hooks.grid_begin(grid);
    const std::uint64_t begin = timeline::is_on() ? timeline::tick() : 0;
    if (grid.configuration.cooperative) {
        if (!is_overdue(grid)) run_cooperative_blocks(grid);
    } else if (grid.blocks == 1 || grid.workers == 1 || waiting_blocks > 0) {
        run_blocks_alone(grid);
    } else {
        BlockQueue queue(grid);
        run_blocks_shared(queue);
    }
    if (timeline::is_on()) timeline::end_grid(span_of(grid, begin));
    if (hooks.grid_end != nullptr) hooks.grid_end(grid);
    // Blocks on several workers append in any order. After sorting it is always the same.
    std::sort(grid.launches.begin(), grid.launches.end(),
              [](const DeviceLaunch& a, const DeviceLaunch& b) {
                  return std::pair(a.block, a.number) < std::pair(b.block, b.number);
              });
}

}  // namespace

void run_grid_tree(std::unique_ptr<Grid> root) {
    install_kernel_fault_handlers();
    // Depth first, with an explicit stack: recursion in device code may be deep, and a chain of
    // tail launches long.
    struct Level {
        std::unique_ptr<Grid> grid;
        bool ran = false;
    };
    std::vector<Level> levels;
    levels.push_back({std::move(root)});
    while (!levels.empty() && sticky_error() == cudaSuccess) {
        Grid& grid = *levels.back().grid;
        if (!levels.back().ran) {
            levels.back().ran = true;
            run_blocks(grid);
        } else if (auto child = take_next_launch(grid.launches,
                                                 settings().schedule.seed + grid.launches.size())) {
            levels.push_back({std::move(child)});
        } else {
            // Tail launches take the place of their parent: only they are missing for it to be
            // complete.
            const std::unique_ptr<Grid> ended = std::move(levels.back().grid);
            levels.pop_back();
            for (auto tail = ended->launches.rbegin(); tail != ended->launches.rend(); ++tail) {
                levels.push_back({std::move(tail->grid)});
            }
        }
    }
}

bool run_beside(std::vector<std::unique_ptr<Grid>>& grids) {
    std::unique_ptr<Helper> helper = Helper::take();
    if (helper == nullptr) return false;
    const int depth = waiting_blocks + 1;
    helper->start([&grids, depth] {
        waiting_blocks = depth;
        for (auto& grid : grids) run_grid_tree(std::move(grid));
        waiting_blocks = 0;
    });
    helper->wait();
    Helper::give_back(std::move(helper));
    return true;
}

int depth_of_waiting_blocks() { return waiting_blocks; }

}  // namespace emulator
