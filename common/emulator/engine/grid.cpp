// SPDX-License-Identifier: MIT
#include "common/emulator/engine/grid.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "common/emulator/engine/helper.hpp"
#include "common/emulator/engine/hooks.hpp"
#include "common/emulator/engine/worker.hpp"
#include "common/emulator/process/executable.hpp"
#include "common/emulator/process/settings.hpp"
#include "common/emulator/runtime/device.hpp"
#include "common/emulator/runtime/errors.hpp"

namespace emulator {
namespace {

std::atomic<std::uint64_t> last_serial = 0;

// ---- Blocks

// The order in which a grid's blocks start: a bijection of [0, count).
class BlockOrder {
  public:
    explicit BlockOrder(const Grid& grid) : count_(static_cast<std::uint64_t>(grid.blocks)) {
        const Schedule& schedule = settings().schedule;
        if (schedule.order == Schedule::Order::reversed) {
            step_ = count_ - 1;
            first_ = count_ - 1;
        } else if (schedule.order == Schedule::Order::shuffled) {
            // A stride without a common divisor visits every block once, with no table of them.
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

// Blocks that are still to be taken by a worker.
struct BlockQueue {
    explicit BlockQueue(Grid& its_grid) : grid(its_grid), order(its_grid) {}

    bool run_one(Worker& worker) {
        const std::int64_t position = next.fetch_add(1, std::memory_order_relaxed);
        if (position >= grid.blocks || grid.failed.load(std::memory_order_relaxed)) return false;
        worker.run_block(grid, order[position]);
        return true;
    }

    Grid& grid;
    BlockOrder order;
    std::atomic<std::int64_t> next = 0;
};

void run_blocks_alone(Grid& grid) {
    BlockQueue queue(grid);
    Worker& worker = Worker::current();
    while (queue.run_one(worker)) {
    }
}

// Starts alone and calls for help only when that is worth the tens of microseconds that waking
// takes: a program of many small grids runs on one thread.
void run_blocks_shared(Grid& grid) {
    using Clock = std::chrono::steady_clock;
    constexpr auto kAlone = std::chrono::microseconds(50);
    BlockQueue queue(grid);
    Worker& worker = Worker::current();
    const auto start = Clock::now();
    do {
        if (!queue.run_one(worker)) return;
    } while (Clock::now() - start < kAlone);
    std::vector<std::unique_ptr<Helper>> helpers;
    const std::int64_t left = grid.blocks - queue.next;
    const auto wanted =
        static_cast<std::size_t>(std::clamp<std::int64_t>(left - 1, 0, settings().workers - 1));
    while (helpers.size() < wanted) {
        std::unique_ptr<Helper> helper = Helper::take();
        if (helper == nullptr) break;
        helper->start([&queue] {
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

// ---- Cooperative grids

// Of the block that this OS thread runs, among those of its grid.
thread_local std::int64_t position_in_grid = 0;

void run_cooperative_block(Grid& grid, std::int64_t position, std::int64_t block) {
    grid.barrier->enter(position);
    if (!grid.failed) Worker::current().run_block(grid, block);
    grid.barrier->leave();
}

// All blocks at once, because all must come to the barrier: an OS thread a block, which is also
// what keeps their shared memories apart.
void run_cooperative_blocks(Grid& grid) {
    GridBarrier barrier(grid);
    grid.barrier = &barrier;
    std::vector<std::unique_ptr<Helper>> helpers;
    for (std::int64_t block = 1; block < grid.blocks; ++block) {
        helpers.push_back(Helper::take());
        if (helpers.back() == nullptr) {
            explain(
                "kernel %s: the system gives %lld of the %lld threads that its cooperative blocks "
                "need",
                grid.name().c_str(), static_cast<long long>(block),
                static_cast<long long>(grid.blocks));
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
            helpers[i]->start(
                [&grid, position, block] { run_cooperative_block(grid, position, block); });
        }
        run_cooperative_block(grid, 0, order[0]);
    }
    for (auto& helper : helpers) {
        helper->wait();
        Helper::give_back(std::move(helper));
    }
    grid.barrier = nullptr;
}

// ---- Grids launched by device code

std::atomic<std::int64_t> outstanding_launches = 0;

// Deeper, a child that could start at its launch starts after its parent: each level holds an OS
// thread.
constexpr int kMaxDepthAtLaunch = 100;
thread_local int depth_at_launch = 0;

bool same_stream(const DeviceLaunch& a, const DeviceLaunch& b) {
    return emulator::same_stream(a.stream, a.block, b.stream, b.block);
}

// Tail launches wait for everything else.
bool is_tail(const DeviceLaunch& launch) { return launch.stream == cudaStreamTailLaunch; }

// The next launch that may run, or nullptr: the first of the stream that the schedule chooses.
std::unique_ptr<Grid> take_next_launch(std::vector<DeviceLaunch>& launches, std::uint64_t random) {
    const Schedule::Order order = settings().schedule.order;
    auto chosen = launches.end();
    if (order == Schedule::Order::in_order) {
        chosen = std::find_if_not(launches.begin(), launches.end(), is_tail);
    } else {
        std::vector<std::size_t> candidates;
        for (std::size_t i = 0; i < launches.size(); ++i) {
            if (!is_tail(launches[i])) candidates.push_back(i);
        }
        if (!candidates.empty()) {
            const std::size_t pick = order == Schedule::Order::reversed
                                         ? candidates.size() - 1
                                         : mix_bits(random) % candidates.size();
            chosen = launches.begin() + static_cast<std::ptrdiff_t>(candidates[pick]);
            chosen = std::find_if(launches.begin(), chosen, [&](const DeviceLaunch& launch) {
                return same_stream(launch, *chosen);
            });
        }
    }
    if (chosen == launches.end()) return nullptr;
    std::unique_ptr<Grid> grid = std::move(chosen->grid);
    launches.erase(chosen);
    return grid;
}

void run_blocks(Grid& grid) {
    if (hooks.grid_begin != nullptr) hooks.grid_begin(grid);
    if (grid.configuration.cooperative) {
        run_cooperative_blocks(grid);
    } else if (grid.blocks == 1 || settings().workers == 1 || depth_at_launch > 0) {
        run_blocks_alone(grid);
    } else {
        run_blocks_shared(grid);
    }
    if (hooks.grid_end != nullptr) hooks.grid_end(grid);
    // Blocks on several workers append in any order; this one is always the same.
    std::sort(grid.launches.begin(), grid.launches.end(),
              [](const DeviceLaunch& a, const DeviceLaunch& b) {
                  return std::pair(a.block, a.number) < std::pair(b.block, b.number);
              });
}

// Whether the schedule starts a child at the point of its launch or after its parent: hardware does
// either.
bool starts_at_launch(std::uint64_t serial) {
    const Schedule& schedule = settings().schedule;
    if (depth_at_launch >= kMaxDepthAtLaunch) return false;
    switch (schedule.order) {
        case Schedule::Order::in_order:
            return false;
        case Schedule::Order::reversed:
            return true;
        case Schedule::Order::shuffled:
            return mix_bits(schedule.seed ^ mix_bits(serial)) % 2 == 0;
    }
    return false;
}

// Runs on another OS thread while this block stands still, because this thread's shared memory is
// in use.
bool run_beside(std::vector<std::unique_ptr<Grid>>& grids) {
    std::unique_ptr<Helper> helper = Helper::take();
    if (helper == nullptr) return false;
    const int depth = depth_at_launch + 1;
    helper->start([&grids, depth] {
        depth_at_launch = depth;
        for (auto& grid : grids) run_grid_tree(std::move(grid));
        depth_at_launch = 0;
    });
    helper->wait();
    Helper::give_back(std::move(helper));
    return true;
}

cudaError_t device_error(cudaError_t error) {
    current_thread->last_error = error;
    return error;
}

// Device streams are numbers: a stream is nothing but an order among its grid's launches.
constexpr std::uintptr_t kFirstDeviceStream = 0x1000;
std::atomic<std::uintptr_t> next_device_stream = kFirstDeviceStream;

bool is_device_stream(cudaStream_t stream) {
    if (stream == nullptr || stream == cudaStreamTailLaunch || stream == cudaStreamFireAndForget) {
        return true;
    }
    const auto number = reinterpret_cast<std::uintptr_t>(stream);
    return number >= kFirstDeviceStream && number < next_device_stream;
}

}  // namespace

bool same_stream(cudaStream_t a, std::int64_t block_of_a, cudaStream_t b, std::int64_t block_of_b) {
    if (a != b || a == cudaStreamFireAndForget) return false;
    return a != nullptr || block_of_a == block_of_b;
}

GridBarrier::GridBarrier(Grid& grid)
    : grid_(grid),
      by_turns_(settings().workers == 1),
      has_returned_(static_cast<std::size_t>(grid.blocks)),
      turn_changed_(static_cast<std::size_t>(by_turns_ ? grid.blocks : 0)) {}

void GridBarrier::enter(std::int64_t position) {
    position_in_grid = position;
    std::unique_lock lock(mutex_);
    wait_for_turn(lock, position);
}

void GridBarrier::wait_for_turn(std::unique_lock<std::mutex>& lock, std::int64_t position) {
    if (!by_turns_) return;
    turn_changed_[static_cast<std::size_t>(position)].wait(
        lock, [&] { return failed_ || turn_ == position; });
}

// To the next block that has not returned; when all have arrived, that is the first again.
void GridBarrier::pass_turn() {
    if (!by_turns_ || returned_ == grid_.blocks) return;
    do {
        turn_ = (turn_ + 1) % grid_.blocks;
    } while (has_returned_[static_cast<std::size_t>(turn_)]);
    turn_changed_[static_cast<std::size_t>(turn_)].notify_one();
}

bool GridBarrier::arrive_and_wait() {
    std::unique_lock lock(mutex_);
    const std::uint64_t round = round_;
    if (++waiting_ == grid_.blocks) {
        waiting_ = 0;
        ++round_;
        changed_.notify_all();
    } else {
        fail_if_incomplete(lock);
    }
    pass_turn();
    changed_.wait(lock, [&] { return failed_ || round_ != round; });
    wait_for_turn(lock, position_in_grid);
    return !failed_;
}

void GridBarrier::leave() {
    std::unique_lock lock(mutex_);
    ++returned_;
    has_returned_[static_cast<std::size_t>(position_in_grid)] = true;
    fail_if_incomplete(lock);
    pass_turn();
}

void GridBarrier::fail_if_incomplete(std::unique_lock<std::mutex>& lock) {
    if (failed_ || waiting_ == 0 || waiting_ + returned_ < grid_.blocks) return;
    explain(
        "kernel %s: deadlock, %lld of %lld blocks wait for ever at the grid's barrier: the others "
        "have returned",
        grid_.name().c_str(), static_cast<long long>(waiting_),
        static_cast<long long>(grid_.blocks));
    lock.unlock();
    grid_.fail(cudaErrorLaunchFailure);
    lock.lock();
}

void GridBarrier::fail() {
    const std::lock_guard lock(mutex_);
    failed_ = true;
    changed_.notify_all();
    for (std::condition_variable& changed : turn_changed_) changed.notify_all();
}

Grid::Grid(const LaunchConfiguration& launch_configuration, KernelIdentity kernel_identity,
           std::unique_ptr<KernelCall> kernel_call)
    : configuration(launch_configuration),
      kernel(kernel_identity),
      call(std::move(kernel_call)),
      blocks(std::int64_t{configuration.grid_dim.x} * configuration.grid_dim.y *
             configuration.grid_dim.z),
      serial(++last_serial) {}

Grid::~Grid() {
    if (from_device) --outstanding_launches;
}

std::string Grid::name() const {
    return kernel.name != nullptr ? kernel.name : function_name(kernel.address);
}

void Grid::fail(cudaError_t error) {
    set_sticky_error(error);
    failed = true;
    if (barrier != nullptr) barrier->fail();
}

void run_grid_tree(std::unique_ptr<Grid> root) {
    // Depth first, on a stack of its own: recursion in device code may be deep, and a chain of tail
    // launches long.
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
            // Tail launches take the place of their parent, which is complete but for them.
            const std::unique_ptr<Grid> ended = std::move(levels.back().grid);
            levels.pop_back();
            for (auto tail = ended->launches.rbegin(); tail != ended->launches.rend(); ++tail) {
                levels.push_back({std::move(tail->grid)});
            }
        }
    }
}

cudaError_t launch_from_device(const LaunchConfiguration& configuration, KernelIdentity kernel,
                               std::unique_ptr<KernelCall> call) {
    cudaError_t error = check_launch(configuration, kernel);
    if (configuration.cooperative) error = cudaErrorNotSupported;
    if (!is_device_stream(configuration.stream)) error = cudaErrorInvalidResourceHandle;
    Worker& worker = *worker_of_running_block();
    std::uint32_t note = 0;
    if (hooks.launch != nullptr && error == cudaSuccess) {
        note = hooks.launch(worker, configuration.stream);
    }
    const int number = worker.next_launch();
    if (error != cudaSuccess) return device_error(error);
    if (++outstanding_launches > pending_launch_limit()) {
        --outstanding_launches;
        return device_error(cudaErrorLaunchPendingCountExceeded);
    }
    Grid& parent = worker.grid();
    auto grid = std::make_unique<Grid>(configuration, kernel, std::move(call));
    grid->from_device = true;
    grid->launch_note = note;
    const std::uint64_t serial = grid->serial;
    DeviceLaunch launch{worker.block(), number, configuration.stream, std::move(grid)};
    std::vector<std::unique_ptr<Grid>> starting;
    {
        const std::lock_guard lock(parent.launches_mutex);
        if (!is_tail(launch) && starts_at_launch(serial)) {
            // What stands before it in its stream comes first.
            for (DeviceLaunch& earlier : parent.launches) {
                if (same_stream(earlier, launch)) starting.push_back(std::move(earlier.grid));
            }
            std::erase_if(parent.launches,
                          [](const DeviceLaunch& earlier) { return earlier.grid == nullptr; });
            starting.push_back(std::move(launch.grid));
        } else {
            parent.launches.push_back(std::move(launch));
        }
    }
    if (starting.empty()) return cudaSuccess;
    if (!run_beside(starting)) {
        const std::lock_guard lock(parent.launches_mutex);
        for (auto& waiting : starting) {
            parent.launches.push_back(
                {worker.block(), number, configuration.stream, std::move(waiting)});
        }
    }
    if (sticky_error() != cudaSuccess) {
        parent.fail(sticky_error());
        worker.abandon_block();
    }
    return cudaSuccess;
}

cudaError_t create_device_stream(cudaStream_t* stream, unsigned flags) {
    // The device runtime has no default-stream rules, and says so by refusing any other flag.
    if (stream == nullptr || flags != cudaStreamNonBlocking) {
        return device_error(cudaErrorInvalidValue);
    }
    *stream = reinterpret_cast<cudaStream_t>(next_device_stream++);
    return cudaSuccess;
}

cudaError_t destroy_device_stream(cudaStream_t stream) {
    const bool created = reinterpret_cast<std::uintptr_t>(stream) >= kFirstDeviceStream;
    return created && is_device_stream(stream) ? cudaSuccess
                                               : device_error(cudaErrorInvalidResourceHandle);
}

}  // namespace emulator
