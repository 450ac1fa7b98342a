// SPDX-License-Identifier: MIT
#include "common/emulator/libraries/pools/memory_pool.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "common/emulator/device/devices.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/runtime/library_hooks.hpp"

namespace emulator {
namespace {

using Pool = CUmemPoolHandle_st;

struct Pools {
    std::vector<std::unique_ptr<Pool>> all;  // a destroyed pool stays: its allocations name it
    std::array<Pool*, kMaxDevices> defaults{};
    std::array<Pool*, kMaxDevices> current{};
    std::size_t waiting_bytes = 0;
};

Pools& pools() {
    static auto* all = new Pools;
    return *all;
}

// As cudaDeviceReset() does.
void forget_pools(int device) {
    pools().current[device] = nullptr;
    for (const auto& pool : pools().all) {
        if (pool->device == device && !pool->is_default) pool->is_destroyed = true;
    }
    if (pools().defaults[device] != nullptr) {
        pools().defaults[device]->is_destroyed = true;
        pools().defaults[device] = nullptr;
    }
}
const AtReset pools_at_reset(forget_pools);
[[maybe_unused]] const bool pools_attached = (library_hooks.freed = note_pool_release, true);

}  // namespace

Pool& make_pool(int device) {
    pools().all.push_back(std::make_unique<Pool>(device));
    return *pools().all.back();
}

Pool& default_pool(int device) {
    Pool*& pool = pools().defaults[device];
    if (pool == nullptr) {
        pool = &make_pool(device);
        pool->is_default = true;
    }
    return *pool;
}

void set_current_pool(int device, Pool* pool) { pools().current[device] = pool; }

std::size_t bytes_waiting_for_release() { return pools().waiting_bytes; }

cudaMemPool_t find_pool(cudaMemPool_t handle) {
    for (const auto& pool : pools().all) {
        if (pool.get() == handle && !pool->is_destroyed) return handle;
    }
    return nullptr;
}

Pool& current_pool(int device) {
    Pool* pool = pools().current[device];
    return pool != nullptr ? *pool : default_pool(device);
}

Pool* pool_of(const Allocation& allocation) {
    for (const auto& pool : pools().all) {
        if (&pool->access == allocation.access) return pool.get();
    }
    return nullptr;
}

void note_pool_release(const Allocation& allocation) {
    if (allocation.access == nullptr) return;
    if (Pool* pool = pool_of(allocation)) pool->give(allocation.bytes);
}

std::unique_ptr<Task> ReleaseWork::make_task(int) const {
    QueuedWork work = describe(WorkKind::release);
    Allocation allocation;
    if (find_allocation(pointer, allocation) || find_addresses(pointer, allocation)) {
        work.written = {pointer, allocation.bytes, allocation.bytes, 1};
    }
    const std::size_t bytes = allocation.bytes;
    pools().waiting_bytes += bytes;
    return make_task_of([released = pointer, bytes, pending = PendingWork(work)] {
        pending.begin();
        pools().waiting_bytes -= bytes;
        Allocation ended;
        if (!find_allocation(released, ended)) {
            explain("cudaFreeAsync: %p is not allocated when its turn comes: %s", released,
                    describe_address(released).c_str());
            set_sticky_error(cudaErrorIllegalAddress);
            return;
        }
        note_pool_release(ended);
        remove_memory(released);
    });
}

}  // namespace emulator

using namespace emulator;

void CUmemPoolHandle_st::take(std::size_t bytes) {
    used += bytes;
    used_high = std::max(used_high, used);
    reserved = std::max<std::uint64_t>(reserved, round_up(used, kReservedUnit));
    reserved_high = std::max(reserved_high, reserved);
}

void CUmemPoolHandle_st::give(std::size_t bytes) {
    used -= bytes;
    trim(threshold);
}

void CUmemPoolHandle_st::trim(std::uint64_t bytes_to_keep) {
    constexpr std::uint64_t kMost = ~std::uint64_t{0} - kReservedUnit;
    const std::uint64_t kept = std::max(used, std::min(bytes_to_keep, kMost));
    reserved = std::min<std::uint64_t>(reserved, round_up(kept, kReservedUnit));
}
