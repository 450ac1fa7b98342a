// SPDX-License-Identifier: MIT
// Floyd-Warshall, stage 01: one thread per cell.
// Idea: in step k, each cell (i, j) reads itself, (i, k) and (k, j). The step changes neither row k
// nor column k, so all cells can be updated at once. Each step needs the step before it: there is
// one launch per step, all on one stream, and the GPU works while the CPU still queues launches.
// Compared with 00_cpu: the two inner loops have become the grid.
// Limit now: latency, and some 50 instructions per warp for only 32 cells, because each thread ends
// after one cell; memory is busy for 40 % of the time.
// Thesis 7.3, figure 7.3.
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
    const int j = blockIdx.y * blockDim.x + threadIdx.x;
    if (j >= count) return;
    if (negative[k] != 0) {
        if (i == 0 && j == 0) negative[k + 1] = 1;
        return;
    }
    const std::int64_t row = i * count;
    const std::int64_t pivot_row = static_cast<std::int64_t>(k) * count;
    const Distance through = distances[row + k] + distances[pivot_row + j];
    // A sum that contains infinity is above kMaxDistance. "Less", never "less or equal": floyd.hpp
    // says why. Nor may an equal value be written: other threads read row k and column k now.
    if (through < min(distances[row + j], kMaxDistance + 1)) {
        distances[row + j] = through;
        next_hops[row + j] = next_hops[row + k];
        if (i == j) atomicExch(&negative[k + 1], 1);
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
    // Rows along x: a grid may have 2^31 - 1 blocks along x, but only 65 535 along y.
    const dim3 blocks(count, (count + kBlockSize - 1) / kBlockSize);
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
    timer.note_grid(std::int64_t{blocks.x} * blocks.y, kBlockSize);
    timer.declare_work(floyd::work_of_full_passes(input));
}

int main(int argc, char** argv) { return floyd::run_stage(argc, argv, STAGE_NAME, find_paths); }
