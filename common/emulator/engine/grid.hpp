// SPDX-License-Identifier: MIT
// Grids: their blocks on worker threads, and the grids that they launch themselves.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <emulator/launch.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace emulator {

struct Grid;

// Where the blocks of a cooperative grid wait for each other, each on its own OS thread. Where
// there is one worker, they run by turns: a block has its turn until it arrives or returns.
class GridBarrier {
  public:
    explicit GridBarrier(Grid& grid);

    // A block, the `position`-th of the grid, begins.
    void enter(std::int64_t position);
    // False when the grid has failed meanwhile.
    bool arrive_and_wait();
    // A block has returned.
    void leave();
    void fail();

  private:
    // Once all blocks wait or have returned: those that wait do so in vain.
    void fail_if_incomplete(std::unique_lock<std::mutex>& lock);
    void pass_turn();
    void wait_for_turn(std::unique_lock<std::mutex>& lock, std::int64_t position);

    Grid& grid_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::int64_t waiting_ = 0;
    std::int64_t returned_ = 0;
    std::uint64_t round_ = 0;
    bool failed_ = false;
    const bool by_turns_;
    std::int64_t turn_ = 0;  // the position of the block that runs
    std::vector<bool> has_returned_;  // by position
    std::deque<std::condition_variable> turn_changed_;
};

// A grid launched by device code, and its place among its parent's launches.
struct DeviceLaunch {
    std::int64_t block;  // of the parent, that launched it
    int number;  // among that block's launches
    cudaStream_t stream;  // nullptr: the block's own default stream
    std::unique_ptr<Grid> grid;
};

// Whether two launches of one grid stand in one stream.
bool same_stream(cudaStream_t a, std::int64_t block_of_a, cudaStream_t b, std::int64_t block_of_b);

struct Grid {
    Grid(const LaunchConfiguration& launch_configuration, KernelIdentity kernel_identity,
         std::unique_ptr<KernelCall> kernel_call);
    ~Grid();

    std::string name() const;
    // Ends the grid with a sticky error.
    void fail(cudaError_t error);

    LaunchConfiguration configuration;
    KernelIdentity kernel;
    std::unique_ptr<KernelCall> call;
    std::int64_t blocks;
    std::uint64_t serial;  // counts grids from 1 in the order of their launches
    bool from_device = false;
    std::uint32_t launch_note = 0;  // what an observer knows the launch by (Hooks::launch)
    std::atomic<bool> failed = false;
    GridBarrier* barrier = nullptr;  // of a cooperative grid while it runs

    std::mutex launches_mutex;
    std::vector<DeviceLaunch> launches;  // that have not run yet
};

// Runs a grid to its end, with all that it launches.
void run_grid_tree(std::unique_ptr<Grid> grid);

// The device runtime's part of the API.
cudaError_t launch_from_device(const LaunchConfiguration& configuration, KernelIdentity kernel,
                               std::unique_ptr<KernelCall> call);
cudaError_t create_device_stream(cudaStream_t* stream, unsigned flags);
cudaError_t destroy_device_stream(cudaStream_t stream);

}  // namespace emulator
