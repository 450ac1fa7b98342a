// SPDX-License-Identifier: MIT
#include "common/emulator/device/properties/properties.hpp"

#include <algorithm>
#include <emulator/thread.hpp>

#include "common/emulator/process/settings.hpp"

namespace emulator {
namespace {

// CUDA C++ Programming Guide, "Technical specifications per compute capability", and the data
// sheets.
constexpr Device kH200 = {
    .name = "NVIDIA H200 (emulated)",
    .major = 9,
    .minor = 0,
    .memory_bytes = 150'109'880'320,
    .multiprocessors = 132,
    .max_threads_per_multiprocessor = 2048,
    .max_blocks_per_multiprocessor = 32,
    .registers_per_multiprocessor = 65536,
    .shared_per_block = 48 * 1024,
    .shared_per_block_optin = 227 * 1024,
    .shared_per_multiprocessor = 228 * 1024,
    .reserved_shared_per_block = 1024,
    .shared_granularity = 128,
    .l2_bytes = 60 * 1024 * 1024,
    .memory_bus_bits = 6016,
    .clock_khz = 1'980'000,
    .memory_clock_khz = 3'201'000,
    .cooperative_launch = true,
};

constexpr Device kGtx980 = {
    .name = "NVIDIA GeForce GTX 980 (emulated)",
    .major = 5,
    .minor = 2,
    .memory_bytes = 4'294'967'296,
    .multiprocessors = 16,
    .max_threads_per_multiprocessor = 2048,
    .max_blocks_per_multiprocessor = 32,
    .registers_per_multiprocessor = 65536,
    .shared_per_block = 48 * 1024,
    .shared_per_block_optin = 48 * 1024,
    .shared_per_multiprocessor = 96 * 1024,
    .reserved_shared_per_block = 0,
    .shared_granularity = 256,
    .l2_bytes = 2 * 1024 * 1024,
    .memory_bus_bits = 256,
    .clock_khz = 1'216'000,
    .memory_clock_khz = 3'505'000,
    .cooperative_launch = false,
};

}  // namespace

const Device& device() { return settings().device == "gtx980" ? kGtx980 : kH200; }

// Registers are given to warps, 256 at a time; each quarter of a multiprocessor has its own
// (CUDA C++ Programming Guide, "Hardware Multithreading"; the toolkit's cuda_occupancy.h).
int threads_with_registers(int registers) {
    constexpr int kUnit = 256;
    constexpr int kQuarters = 4;
    const Device& gpu = device();
    if (registers <= 0) return gpu.max_threads_per_multiprocessor;
    const int per_warp = (registers * kWarpSize + kUnit - 1) / kUnit * kUnit;
    const int warps = gpu.registers_per_multiprocessor / kQuarters / per_warp * kQuarters;
    return std::min(warps * kWarpSize, gpu.max_threads_per_multiprocessor);
}

int active_blocks_per_multiprocessor(int threads, std::size_t shared_bytes,
                                     KernelResources resources) {
    const Device& gpu = device();
    const std::size_t granularity = gpu.shared_granularity;
    const std::size_t shared =
        (shared_bytes + resources.shared_bytes + gpu.reserved_shared_per_block + granularity - 1) /
        granularity * granularity;
    const int warps = (threads + kWarpSize - 1) / kWarpSize;
    int blocks = std::min(gpu.max_blocks_per_multiprocessor,
                          threads_with_registers(resources.registers) / kWarpSize / warps);
    if (shared > 0) {
        blocks =
            static_cast<int>(std::min<std::size_t>(blocks, gpu.shared_per_multiprocessor / shared));
    }
    return blocks;
}

}  // namespace emulator
