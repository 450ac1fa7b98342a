// SPDX-License-Identifier: MIT
#include "common/emulator/device/properties/limits.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>

#include "common/emulator/device/properties/properties.hpp"

namespace emulator {
namespace {

struct Limits {
    std::size_t stack = 1024;
    std::size_t printf_fifo = 1024 * 1024;
    std::size_t malloc_heap = 8 * 1024 * 1024;
    std::size_t pending_launches = 2048;
    // Without meaning on the engine: device code does not wait for its grids, and there is no
    // cache.
    std::size_t sync_depth = 2;
    std::size_t l2_fetch_granularity = 64;
    std::size_t persisting_l2 = 0;
};

std::mutex limits_mutex;
Limits limits;
// Copies that running kernels read.
std::atomic<std::int64_t> pending_limit = 2048;
std::atomic<std::size_t> stack_limit = 1024;

void publish_limits() {
    pending_limit = static_cast<std::int64_t>(limits.pending_launches);
    stack_limit = limits.stack;
}

std::size_t* limit_value(cudaLimit limit) {
    switch (limit) {
        case cudaLimitStackSize:
            return &limits.stack;
        case cudaLimitPrintfFifoSize:
            return &limits.printf_fifo;
        case cudaLimitMallocHeapSize:
            return &limits.malloc_heap;
        case cudaLimitDevRuntimePendingLaunchCount:
            return &limits.pending_launches;
        case cudaLimitDevRuntimeSyncDepth:
            return &limits.sync_depth;
        case cudaLimitMaxL2FetchGranularity:
            return &limits.l2_fetch_granularity;
        case cudaLimitPersistingL2CacheSize:
            return &limits.persisting_l2;
    }
    return nullptr;
}

std::mutex attributes_mutex;
std::unordered_map<const void*, std::size_t> raised_shared_bytes;

}  // namespace

bool get_limit(cudaLimit limit, std::size_t& value) {
    const std::lock_guard lock(limits_mutex);
    const std::size_t* const slot = limit_value(limit);
    if (slot == nullptr) return false;
    value = *slot;
    return true;
}

bool set_limit(cudaLimit limit, std::size_t value) {
    const std::lock_guard lock(limits_mutex);
    std::size_t* const slot = limit_value(limit);
    if (slot == nullptr) return false;
    *slot = value;
    publish_limits();
    return true;
}

std::size_t kernel_stack_bytes() { return stack_limit.load(std::memory_order_relaxed); }

std::int64_t pending_launch_limit() { return pending_limit.load(std::memory_order_relaxed); }

std::size_t allowed_shared_bytes(const void* kernel) {
    const std::lock_guard lock(attributes_mutex);
    std::size_t allowed = device().shared_per_block;
    if (kernel == nullptr) {
        for (const auto& [address, bytes] : raised_shared_bytes) allowed = std::max(allowed, bytes);
    } else if (const auto found = raised_shared_bytes.find(kernel);
               found != raised_shared_bytes.end()) {
        allowed = found->second;
    }
    return allowed;
}

void allow_shared_bytes(const void* kernel, std::size_t bytes) {
    const std::lock_guard lock(attributes_mutex);
    raised_shared_bytes[kernel] = bytes;
}

void reset_limits() {
    {
        const std::lock_guard lock(limits_mutex);
        limits = Limits{};
        publish_limits();
    }
    const std::lock_guard lock(attributes_mutex);
    raised_shared_bytes.clear();
}

}  // namespace emulator
