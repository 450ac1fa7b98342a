// SPDX-License-Identifier: MIT
// A grid: a kernel, its configuration, and the grids that its blocks have launched.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <emulator/launch.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace emulator {

class GridBarrier;
struct Grid;

// A grid launched by device code, and its place among its parent's launches.
struct DeviceLaunch {
    std::int64_t block;  // of the parent: the block that launched it
    int number;  // among that block's launches
    cudaStream_t stream;  // nullptr: the block's own default stream
    std::unique_ptr<Grid> grid;
};

struct Grid {
    Grid(const LaunchConfiguration& launch_configuration, KernelIdentity kernel_identity,
         std::shared_ptr<const KernelCall> kernel_call);
    ~Grid();

    std::string name() const;
    // Ends the grid with a sticky error.
    void fail(cudaError_t error);

    LaunchConfiguration configuration;
    KernelIdentity kernel;
    std::shared_ptr<const KernelCall> call;  // shared with the graph that launches it again
    std::int64_t blocks;
    std::uint64_t serial;  // counts grids from 1 in the order of their launches
    std::uint64_t root;  // the serial number of the host's launch to which it belongs
    bool from_device = false;
    // Of a grid from_device: the grid, block and thread that launched it.
    std::uint64_t parent = 0;
    std::int64_t parent_block = 0;
    int parent_thread = 0;
    int workers;  // OS threads that may run its blocks
    int device = 0;  // the GPU on which it runs
    std::function<void()> at_end;  // called by the destructor
    std::uint32_t launch_note = 0;  // the observer's name for the launch (Hooks::launch)
    bool recorded = true;  // for the observer; the grids that it launches inherit it
    std::uint64_t launch_tick = 0;  // for the timeline
    std::atomic<bool> failed = false;
    GridBarrier* barrier = nullptr;  // of a cooperative grid while it runs

    std::mutex launches_mutex;
    std::vector<DeviceLaunch> launches;  // that have not run yet
};

// Whether two launches of one grid are in the same stream.
bool same_stream(cudaStream_t a, std::int64_t block_of_a, cudaStream_t b, std::int64_t block_of_b);

// Tail launches wait for everything else.
bool is_tail(const DeviceLaunch& launch);

// The next launch that may run, or nullptr: the first of the stream that the schedule chooses.
std::unique_ptr<Grid> take_next_launch(std::vector<DeviceLaunch>& launches, std::uint64_t random);

}  // namespace emulator
