// SPDX-License-Identifier: MIT
// The GPU that is emulated: its size and its fixed limits.
#pragma once

#include <cstddef>

#include "common/emulator/device/properties/kernel_resources.hpp"

namespace emulator {

// The largest dynamic shared memory of a block on any device known here.
constexpr std::size_t kMaxDynamicSharedBytes = 256 * 1024;

constexpr unsigned kMaxGrid[3] = {0x7fffffff, 65535, 65535};
constexpr unsigned kMaxBlock[3] = {1024, 1024, 64};

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

// How many of a multiprocessor's threads may run at a time with so many registers each, in whole
// warps.
int threads_with_registers(int registers);

// How many blocks of this shape a multiprocessor holds at a time. `shared_bytes`: the dynamic ones.
int active_blocks_per_multiprocessor(int threads, std::size_t shared_bytes,
                                     KernelResources resources);

}  // namespace emulator
