// SPDX-License-Identifier: MIT
// The limits of the GPU that is emulated.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <emulator/launch.hpp>

namespace emulator {

// The largest dynamic shared memory of a block on any device known here.
constexpr std::size_t kMaxDynamicSharedBytes = 256 * 1024;

struct Device {
    const char* name;
    int major, minor;
    std::size_t memory_bytes;
    int multiprocessors;
    int max_threads_per_multiprocessor;
    int max_blocks_per_multiprocessor;
    int registers_per_multiprocessor;
    std::size_t shared_per_block;
    std::size_t shared_per_block_optin;
    std::size_t shared_per_multiprocessor;
    std::size_t reserved_shared_per_block;
    std::size_t shared_granularity;
    int l2_bytes;
    int memory_bus_bits;
    int clock_khz;
    int memory_clock_khz;
    bool cooperative_launch;
};

const Device& device();

// How many blocks of this shape a multiprocessor holds at a time.
int active_blocks_per_multiprocessor(int threads, std::size_t shared_bytes);

// Whether the device could run this launch. `kernel` may be nullptr: unknown.
cudaError_t check_launch(const LaunchConfiguration& configuration, KernelIdentity kernel);

// cudaDeviceSetLimit()'s values.
std::size_t kernel_stack_bytes();
std::int64_t pending_launch_limit();

// As a new device: limits and function attributes.
void reset_device_state();

}  // namespace emulator
