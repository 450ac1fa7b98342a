// SPDX-License-Identifier: MIT
// Memory that a graph's nodes allocate: its addresses are fixed when the node is made, and each
// launch allocates there. "Graph memory nodes" in the CUDA C++ Programming Guide.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "common/emulator/libraries/pools/memory_pool.hpp"

namespace emulator {

// Memory at an address of its own, which is there from this node on.
class AllocationWork final : public Work {
  public:
    cudaGraphNodeType type() const override { return cudaGraphNodeTypeMemAlloc; }
    std::unique_ptr<Task> make_task(int device) const override;
    bool has_left_memory() const override;
    void note_launch_allocates() const override;
    void free_left_memory() const override;

    cudaMemAllocNodeParams parameters{};
    std::vector<cudaMemAccessDesc> access;
    std::shared_ptr<void> addresses;  // reserved while some graph or instance has the node
};

// Fills in the address.
cudaError_t make_allocation(cudaMemAllocNodeParams& parameters,
                            std::shared_ptr<AllocationWork>& work);
// cudaMallocAsync() on a stream that captures.
cudaError_t capture_allocation(Stream& stream, const CUmemPoolHandle_st& pool, std::size_t bytes,
                               void** pointer);

// Whether the address is that of a graph's allocation node.
bool is_graph_memory(const void* pointer);
// The program frees what a graph allocated and did not free: an error if no launch allocated it.
cudaError_t note_release_of_memory(void* pointer);

}  // namespace emulator
