// SPDX-License-Identifier: MIT
// Memory pools, and memory that is allocated and freed in the order of a stream.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "common/emulator/device/memory.hpp"
#include "common/emulator/runtime/work.hpp"

namespace emulator {

// What a GPU gives a pool at a time.
constexpr std::size_t kReservedUnit = std::size_t{32} << 20;

CUmemPoolHandle_st& make_pool(int device);
CUmemPoolHandle_st& default_pool(int device);
// nullptr: the default pool again.
void set_current_pool(int device, CUmemPoolHandle_st* pool);
// Memory that is freed when streams run.
std::size_t bytes_waiting_for_release();
cudaMemPool_t find_pool(cudaMemPool_t handle);
// That cudaMallocAsync() uses on a device.
CUmemPoolHandle_st& current_pool(int device);
// The pool that an allocation came from; nullptr: none.
CUmemPoolHandle_st* pool_of(const Allocation& allocation);

// The allocation has ended: the pool's counters fall.
void note_pool_release(const Allocation& allocation);

// Frees memory in the order of a stream or a graph.
class ReleaseWork final : public Work {
  public:
    explicit ReleaseWork(void* released) : pointer(released) {}
    cudaGraphNodeType type() const override { return cudaGraphNodeTypeMemFree; }
    std::unique_ptr<Task> make_task(int device) const override;
    void note_launch_frees() const override;  // graph_memory.cpp

    void* pointer;
};

}  // namespace emulator

// The counters are in bytes. A GPU gives a pool memory in units of 32 MiB (measured on an H200).
struct CUmemPoolHandle_st {
    explicit CUmemPoolHandle_st(int its_device) : device(its_device), access(1u << its_device) {}

    void take(std::size_t bytes);
    void give(std::size_t bytes);
    // Keeps so many bytes at least, and what is in use.
    void trim(std::uint64_t bytes_to_keep);

    int device;
    std::atomic<std::uint32_t> access;  // one bit for each device that may use its memory
    bool is_default = false;
    bool is_destroyed = false;
    int reuse[3] = {1, 1, 1};  // cudaMemPoolReuse…: the engine reuses no addresses
    std::uint64_t threshold = 0;
    std::uint64_t used = 0;
    std::uint64_t used_high = 0;
    std::uint64_t reserved = 0;
    std::uint64_t reserved_high = 0;
};
