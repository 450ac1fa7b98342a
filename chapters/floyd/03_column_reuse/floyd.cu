// SPDX-License-Identifier: MIT
// Floyd-Warshall, stage 03: several rows per block, and (k, j) reused.
// Idea: all rows need the same row k. A thread keeps its element of row k in a register and walks
// down the column through kRowsPerBlock rows. Then it goes on to its next column.
// Compared with 02_row_per_block: a loop over rows inside the loop over columns.
// Limit now: latency, as before, with fewer threads to hide it, because each thread takes more
// registers; and each step reads every cell and keeps none for the next step.
// Thesis 7.3.2, figures 7.2 and 7.3. (Its section 7.4 calls the register shared memory.)
#include <cuda_runtime.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/floyd.hpp"

using course::cuda_check, course::DeviceBuffer;
using floyd::Distance, floyd::Input, floyd::kMaxDistance, floyd::Output, floyd::Phase,
    floyd::PhaseTimer, floyd::Vertex;

constexpr int kBlockSize = 256;
constexpr int kRowsPerBlock = 4;

// Allows all paths to lead through vertex k. If negative[k] is not 0, an earlier step has closed a
// negative cycle. From then on each step could double the values, so all later steps return at
// once. A step sets the flag of the next step: other threads may still read its own.
__global__ void relax_through_kernel(Distance* distances, Vertex* next_hops, int count, int k,
                                     int* negative) {
    const std::int64_t first_row = static_cast<std::int64_t>(blockIdx.x) * kRowsPerBlock;
    const std::int64_t end_row = min(first_row + kRowsPerBlock, static_cast<std::int64_t>(count));
    if (negative[k] != 0) {
        if (first_row == 0 && threadIdx.x == 0) negative[k + 1] = 1;
        return;
    }
    const std::int64_t pivot_row = static_cast<std::int64_t>(k) * count;
    for (int j = threadIdx.x; j < count; j += kBlockSize) {
        const Distance from_pivot = distances[pivot_row + j];
        for (std::int64_t i = first_row; i < end_row; ++i) {
            const std::int64_t row = i * count;
            const Distance through = distances[row + k] + from_pivot;
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
    const int blocks = (count + kRowsPerBlock - 1) / kRowsPerBlock;
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
