// SPDX-License-Identifier: MIT
#include <cuda_runtime_api.h>

#include <cstdio>
#include <emulator/address_spaces.hpp>
#include <emulator/thread.hpp>

#include "common/emulator/device/memory.hpp"
#include "common/emulator/device/properties/properties.hpp"
#include "common/emulator/engine/worker.hpp"
#include "common/emulator/process/executable.hpp"

namespace emulator {
namespace {

// In the window of shared addresses, the dynamic memory follows the thread-local block. Both begin
// at multiples of 1024 bytes, so that an address and its offset agree in the bits that a swizzle
// uses. Descriptors of matrices have 18 bits for an offset: as little as possible lies between.
constexpr std::uint64_t kStaticBegin = 0x400;
constexpr std::uint64_t kUnit = 0x400;

std::uint64_t dynamic_begin() {
    static const std::uint64_t begin =
        (kStaticBegin + thread_local_block().bytes + kUnit - 1) / kUnit * kUnit;
    return begin;
}

}  // namespace

bool is_shared_address(const void* pointer) noexcept {
    const auto* const byte = static_cast<const char*>(pointer);
    const SharedRange block = thread_local_block();
    const auto* const dynamic = static_cast<const char*>(dynamic_shared_memory());
    return (byte >= block.begin && byte < block.begin + block.bytes) ||
           (dynamic != nullptr && byte >= dynamic && byte <= dynamic + dynamic_shared_bytes());
}

bool is_global_address(const void* pointer) noexcept {
    Allocation allocation;
    return find_allocation(pointer, allocation);
}

std::uint64_t shared_offset(const void* pointer) noexcept {
    const auto* const byte = static_cast<const char*>(pointer);
    const SharedRange block = thread_local_block();
    if (byte >= block.begin && byte < block.begin + block.bytes) {
        return kStaticBegin + static_cast<std::uint64_t>(byte - block.begin);
    }
    if (!is_shared_address(pointer)) {
        fail_kernel(cudaErrorInvalidAddressSpace,
                    "converts a pointer to a shared address that does not point to shared memory");
    }
    return dynamic_begin() +
           static_cast<std::uint64_t>(byte - static_cast<const char*>(dynamic_shared_memory()));
}

void* shared_pointer(std::uint64_t offset) noexcept {
    const std::uint64_t begin = dynamic_begin();
    if (offset >= begin && dynamic_shared_bytes() > 0) {
        return static_cast<char*>(dynamic_shared_memory()) + (offset - begin);
    }
    return thread_local_block().begin + (offset - kStaticBegin);
}

namespace ptx {

constinit thread_local bool carry = false;

bool& carry_flag() { return carry; }

int multiprocessors() { return device().multiprocessors; }

// Blocks take turns on the multiprocessors.
int multiprocessor() {
    return static_cast<int>(worker_of_running_block()->block() % device().multiprocessors);
}

int warps_of_multiprocessor() { return device().max_threads_per_multiprocessor / kWarpSize; }

}  // namespace ptx
}  // namespace emulator
