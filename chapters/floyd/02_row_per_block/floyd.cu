// SPDX-License-Identifier: MIT
// Floyd-Warshall, stage 02: one block per row.
// Idea: with one thread per cell, a step has far more blocks than the GPU holds at once. With one
// block per row there are only `count`. Each thread walks along the row in strides, and loads
// (i, k) once.
// Compared with 01_thread_per_cell: the kernel has a loop over the columns; the grid has one
// dimension less.
// Limit now: latency, because a thread's next loads wait until its last cell has been compared and
// stored; memory is busy for a third of the time.
// Thesis 7.3.1, figures 7.1 and 7.3.
#include <cuda_runtime.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/floyd.hpp"

using course::cuda_check, course::DeviceBuffer;
using floyd::Distance, floyd::Input, floyd::kMaxDistance, floyd::Output, floyd::Phase,
    floyd::PhaseTimer, floyd::Vertex;

constexpr int kBlockSize = 256;

// Allows all paths to lead through vertex k. If negative[k] is not 0, an earlier step has closed a
// negative cycle. From then on each step could double the values, so all later steps return at
// once. A step sets the flag of the next step: other threads may still read its own.
__global__ void relax_through_kernel(Distance* distances, Vertex* next_hops, int count, int k,
                                     int* negative) {
    const std::int64_t i = blockIdx.x;
    if (negative[k] != 0) {
        if (i == 0 && threadIdx.x == 0) negative[k + 1] = 1;
        return;
    }
    const std::int64_t row = i * count;
    const std::int64_t pivot_row = static_cast<std::int64_t>(k) * count;
    const Distance to_pivot = distances[row + k];
    for (int j = threadIdx.x; j < count; j += kBlockSize) {
        const Distance through = to_pivot + distances[pivot_row + j];
        // A sum that contains infinity is above kMaxDistance. "Less", never "less or equal":
        // floyd.hpp says why. Nor may an equal value be written: other threads read row k and
        // column k now.
        if (through < min(distances[row + j], kMaxDistance + 1)) {
            distances[row + j] = through;
            next_hops[row + j] = next_hops[row + k];
            if (i == j) atomicExch(&negative[k + 1], 1);
        }
    }
}

void find_paths(const Input& input, Output& output, PhaseTimer& timer) {
    const int count = static_cast<int>(input.count);
    timer.begin(Phase::kSetup);
    DeviceBuffer<Distance> d_distances(input.cells());
    DeviceBuffer<Vertex> d_next_hops(input.cells());
    DeviceBuffer<int> d_negative(count + 1);
    cuda_check(cudaMemset(d_negative.data(), 0, d_negative.bytes()));

    timer.begin(Phase::kCopyIn);
    cuda_check(cudaMemcpy(d_distances.data(), input.distances.data(), d_distances.bytes(),
                          cudaMemcpyHostToDevice));
    cuda_check(cudaMemcpy(d_next_hops.data(), input.next_hops.data(), d_next_hops.bytes(),
                          cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    const int blocks = count;
    for (int k = 0; k < count; ++k) {
        relax_through_kernel<<<blocks, kBlockSize>>>(d_distances.data(), d_next_hops.data(), count,
                                                     k, d_negative.data());
        cuda_check(cudaGetLastError());
    }

    timer.begin(Phase::kCopyOut);
    cuda_check(cudaMemcpy(output.distances.data(), d_distances.data(), d_distances.bytes(),
                          cudaMemcpyDeviceToHost));
    cuda_check(cudaMemcpy(output.next_hops.data(), d_next_hops.data(), d_next_hops.bytes(),
                          cudaMemcpyDeviceToHost));
    int negative = 0;
    cuda_check(
        cudaMemcpy(&negative, d_negative.data() + count, sizeof negative, cudaMemcpyDeviceToHost));
    output.negative_cycle = negative != 0;
    timer.end();
    timer.note_grid(blocks, kBlockSize);
    timer.declare_work(floyd::work_of_full_passes(input));
}

int main(int argc, char** argv) { return floyd::run_stage(argc, argv, STAGE_NAME, find_paths); }
