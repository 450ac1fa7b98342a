// SPDX-License-Identifier: MIT
#include "common/emulator/device/properties/launch_check.hpp"

#include <string>

#include "common/emulator/device/properties/launch_bounds.hpp"
#include "common/emulator/device/properties/limits.hpp"
#include "common/emulator/device/properties/properties.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/process/executable.hpp"

namespace emulator {
namespace {

bool exceeds(const dim3& size, const unsigned (&most)[3]) {
    return size.x > most[0] || size.y > most[1] || size.z > most[2];
}

bool is_empty(const dim3& size) { return size.x == 0 || size.y == 0 || size.z == 0; }

std::string text_of(const dim3& size) {
    return std::to_string(size.x) + " x " + std::to_string(size.y) + " x " + std::to_string(size.z);
}

const Variable* find_too_large_shared() {
    constexpr std::size_t kStaticSharedBytes = 48 * 1024;
    for (const Variable& variable : shared_variables()) {
        // Without symbols only sections are known, not the single variables.
        if (!variable.name.empty() && variable.bytes > kStaticSharedBytes) return &variable;
    }
    return nullptr;
}

}  // namespace

LaunchVerdict check_launch(const LaunchConfiguration& configuration, KernelIdentity kernel,
                           cudaError_t refusal) {
    const dim3& grid = configuration.grid_dim;
    const dim3& block = configuration.block_dim;
    // A program that ignores the error code still shows the message.
    const auto refuse = [&](cudaError_t error, const std::string& reason) {
        explain("kernel %s is not launched: %s (%s)",
                kernel.name != nullptr ? kernel.name : function_name(kernel.address).c_str(),
                reason.c_str(), cudaGetErrorName(error));
        return LaunchVerdict{error, reason};
    };
    if (is_empty(block) || exceeds(block, kMaxBlock) ||
        std::uint64_t{block.x} * block.y * block.z > kMaxThreadsPerBlock) {
        return refuse(refusal, "a block of " + text_of(block) +
                                   " threads; a block has 1 to 1024 threads, at most 64 in z");
    }
    if (const std::size_t bound = launch_bound(kernel.address);
        std::size_t{block.x} * block.y * block.z > bound) {
        return refuse(refusal, "a block of " + text_of(block) +
                                   " threads; the kernel's __launch_bounds__ allows " +
                                   std::to_string(bound));
    }
    if (is_empty(grid) || exceeds(grid, kMaxGrid)) {
        return refuse(
            refusal,
            "a grid of " + text_of(grid) +
                " blocks; a grid has at least 1 block, at most 2147483647 in x, 65535 in y and z");
    }
    const std::size_t allowed = allowed_shared_bytes(kernel.address);
    if (configuration.shared_bytes > allowed) {
        // A cooperative launch is too large in this way, too (measured on an H200).
        return refuse(configuration.cooperative ? cudaErrorCooperativeLaunchTooLarge : refusal,
                      std::to_string(configuration.shared_bytes) +
                          " bytes of dynamic shared memory; the kernel may have " +
                          std::to_string(allowed) + ", and more only after cudaFuncSetAttribute()");
    }
    // nvcc refuses it for any device.
    static const Variable* const too_large = find_too_large_shared();
    if (too_large != nullptr) {
        return refuse(refusal,
                      "__shared__ " + too_large->name + " of " + std::to_string(too_large->bytes) +
                          " bytes; a block may have 49152, and more only as dynamic shared memory");
    }
    const KernelResources resources = resources_of(kernel.address);
    if (block.x * block.y * block.z >
        static_cast<unsigned>(threads_with_registers(resources.registers))) {
        return refuse(cudaErrorLaunchOutOfResources,
                      "a block of " + text_of(block) + " threads with " +
                          std::to_string(resources.registers) + " registers each; a block has " +
                          std::to_string(device().registers_per_multiprocessor));
    }
    if (configuration.cooperative) {
        if (!device().cooperative_launch) {
            return {cudaErrorNotSupported, "the device has no cooperative launches"};
        }
        const auto resident =
            static_cast<std::uint64_t>(device().multiprocessors) *
            active_blocks_per_multiprocessor(static_cast<int>(block.x * block.y * block.z),
                                             configuration.shared_bytes, resources);
        if (std::uint64_t{grid.x} * grid.y * grid.z > resident) {
            return {cudaErrorCooperativeLaunchTooLarge,
                    "more blocks than can be resident at the same time"};
        }
    }
    return {};
}

}  // namespace emulator
