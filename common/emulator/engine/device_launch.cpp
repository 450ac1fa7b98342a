// SPDX-License-Identifier: MIT
#include "common/emulator/engine/device_launch.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "common/emulator/device/properties/launch_check.hpp"
#include "common/emulator/device/properties/limits.hpp"
#include "common/emulator/device/unread_errors.hpp"
#include "common/emulator/engine/grid.hpp"
#include "common/emulator/engine/hooks.hpp"
#include "common/emulator/engine/run_grid.hpp"
#include "common/emulator/engine/worker.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/process/settings.hpp"
#include "common/emulator/process/time_limit.hpp"
#include "common/emulator/timeline/timeline.hpp"

namespace emulator {
namespace {

std::atomic<std::int64_t> outstanding_launches = 0;

// At a greater depth, a child that could start at its launch starts after its parent, because each
// level holds an OS thread.
constexpr int kMaxDepthAtLaunch = 100;

// Whether the schedule starts a child at its launch, or after its parent: hardware may do either.
bool starts_at_launch(std::uint64_t serial) {
    const Schedule& schedule = settings().schedule;
    if (depth_of_waiting_blocks() >= kMaxDepthAtLaunch) return false;
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

// Device streams are numbers: a stream is only an order among its grid's launches.
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

ErrorReader running_reader() {
    Worker& worker = *worker_of_running_block();
    return {worker.grid().serial, worker.block(), current_thread->linear_index};
}

cudaError_t device_error(cudaError_t error) {
    current_thread->last_error = error;
    return error;
}

namespace {

LaunchVerdict check_device_launch(const LaunchConfiguration& configuration, KernelIdentity kernel) {
    const Uninterruptible whole;
    if (!is_device_stream(configuration.stream)) {
        return {cudaErrorInvalidResourceHandle, "there is no such stream in device code"};
    }
    if (configuration.cooperative) {
        return {cudaErrorNotSupported, "device code cannot launch cooperative grids"};
    }
    return check_launch(configuration, kernel, kRefusedFromDevice);
}

cudaError_t refuse_device_launch(const LaunchConfiguration& configuration, KernelIdentity kernel,
                                 const LaunchVerdict& verdict) {
    const Uninterruptible whole;
    if (kernel.name != nullptr) {
        note_refused_launch(running_reader(), configuration, kernel, verdict.error, verdict.reason);
    }
    return device_error(verdict.error);
}

// Adds the launch to those of its parent. The result: the grids that start now, while the parent
// waits.
std::vector<std::unique_ptr<Grid>> add_launch(Grid& parent, DeviceLaunch launch) {
    const Uninterruptible whole;
    std::vector<std::unique_ptr<Grid>> starting;
    const std::lock_guard lock(parent.launches_mutex);
    if (is_tail(launch) || !starts_at_launch(launch.grid->serial)) {
        parent.launches.push_back(std::move(launch));
        return starting;
    }
    // The earlier launches of its stream come first.
    for (DeviceLaunch& earlier : parent.launches) {
        if (same_stream(earlier.stream, earlier.block, launch.stream, launch.block)) {
            starting.push_back(std::move(earlier.grid));
        }
    }
    std::erase_if(parent.launches,
                  [](const DeviceLaunch& earlier) { return earlier.grid == nullptr; });
    starting.push_back(std::move(launch.grid));
    return starting;
}

std::unique_ptr<Grid> make_child(Worker& worker, const LaunchConfiguration& configuration,
                                 KernelIdentity kernel, std::unique_ptr<KernelCall> call,
                                 std::uint32_t note) {
    const Uninterruptible whole;
    const Grid& parent = worker.grid();
    auto grid = std::make_unique<Grid>(configuration, kernel, std::move(call));
    grid->from_device = true;
    grid->root = parent.root;
    grid->parent = parent.serial;
    grid->parent_block = worker.block();
    grid->parent_thread = current_thread->linear_index;
    if (timeline::is_on()) grid->launch_tick = timeline::tick();
    grid->device = parent.device;
    grid->at_end = [] { --outstanding_launches; };
    grid->launch_note = note;
    grid->recorded = parent.recorded;
    return grid;
}

}  // namespace

cudaError_t launch_from_device(const LaunchConfiguration& configuration, KernelIdentity kernel,
                               std::unique_ptr<KernelCall> call) {
    LaunchVerdict verdict = check_device_launch(configuration, kernel);
    Worker& worker = *worker_of_running_block();
    std::uint32_t note = 0;
    if (hooks.launch != nullptr && verdict.error == cudaSuccess) {
        note = hooks.launch(worker, configuration.stream);
    }
    const int number = worker.next_launch();
    if (verdict.error == cudaSuccess && ++outstanding_launches > pending_launch_limit()) {
        --outstanding_launches;
        verdict = {cudaErrorLaunchPendingCountExceeded,
                   "more launches are pending than cudaLimitDevRuntimePendingLaunchCount allows"};
    }
    if (verdict.error != cudaSuccess) return refuse_device_launch(configuration, kernel, verdict);
    Grid& parent = worker.grid();
    std::vector<std::unique_ptr<Grid>> starting =
        add_launch(parent, {worker.block(), number, configuration.stream,
                            make_child(worker, configuration, kernel, std::move(call), note)});
    if (starting.empty()) return cudaSuccess;
    if (!run_beside(starting)) {
        const Uninterruptible whole;
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
    // The device runtime has no default-stream rules, so it refuses any other flag.
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
