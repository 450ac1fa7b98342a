// SPDX-License-Identifier: MIT
// Monte Carlo, stage 03: counts of 64 bits.
// Idea: beyond 2^32 points, a 32-bit count wraps around without an error. A 64-bit count does not.
// A 64-bit shuffle is two 32-bit shuffles.
// Compared with 02_shuffle_reduction: the type Count, nothing else. The block's sum now lies in a
// header of this folder, for the stages to come.
// Limit now: integer arithmetic of the generator. There are only 2 % more instructions than with
// 32-bit counts, but 19 % more for the integer pipe: a tenth slower (H200). At small sizes, the
// limit is the initialisation.
// Thesis 8.3, figures 8.1 and 8.2.
#include <cuda_runtime.h>
#include <curand_kernel.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "03_64bit_counts/block_sum.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/resident_blocks.hpp"
#include "problem/montecarlo.hpp"

using course::cuda_check, course::DeviceBuffer;
using montecarlo::Count, montecarlo::kBlockSize, montecarlo::sum_over_block;
using montecarlo::Input, montecarlo::Output, montecarlo::Phase, montecarlo::PhaseTimer;

__global__ void count_inside_kernel(Count samples, unsigned long long seed,
                                    Count* __restrict__ block_counts) {
    const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned int threads = gridDim.x * blockDim.x;
    // The remainder goes to the first threads of the GRID, one point each: in total exactly
    // `samples`.
    const Count my_samples = samples / threads + (thread < samples % threads ? 1 : 0);

    curandState state;
    curand_init(seed, thread, 0, &state);
    Count inside = 0;
    for (Count i = 0; i < my_samples; ++i) {
        const float x = curand_uniform(&state);
        const float y = curand_uniform(&state);
        // fmaf fixes the roundings, one of y * y and one of the sum: then every compiler and every
        // device gives the same answer for a point on the edge.
        if (fmaf(x, x, y * y) < 1.0f) ++inside;
    }

    const Count block_count = sum_over_block(inside);
    if (threadIdx.x == 0) block_counts[blockIdx.x] = block_count;
}

// One full wave: as many blocks as the device holds at once, but no block without points.
std::int64_t choose_blocks(const Input& input) {
    if (input.blocks > 0) return input.blocks;
    const int at_once = course::resident_blocks(count_inside_kernel, kBlockSize);
    const std::int64_t blocks_with_points = (input.samples - 1) / kBlockSize + 1;
    return std::min<std::int64_t>(at_once, blocks_with_points);
}

void count_inside(const Input& input, Output& output, PhaseTimer& timer) {
    timer.begin(Phase::kSetup);
    const std::int64_t blocks = choose_blocks(input);
    std::vector<Count> h_block_counts(blocks);
    DeviceBuffer<Count> d_block_counts(blocks);

    timer.begin(Phase::kKernels);
    count_inside_kernel<<<blocks, kBlockSize>>>(input.samples, input.seed, d_block_counts.data());
    cuda_check(cudaGetLastError());

    timer.begin(Phase::kCopyOut);
    cuda_check(cudaMemcpy(h_block_counts.data(), d_block_counts.data(), d_block_counts.bytes(),
                          cudaMemcpyDeviceToHost));
    output.inside = 0;
    for (const Count block_count : h_block_counts) output.inside += block_count;
    output.generators = blocks * kBlockSize;
    timer.end();
    timer.note_grid(blocks, kBlockSize);
    timer.declare_work({.bytes = static_cast<double>(d_block_counts.bytes()),
                        .operations = montecarlo::Method{}.operations_per_point() * input.samples});
}

int main(int argc, char** argv) {
    return montecarlo::run_stage(argc, argv, STAGE_NAME, count_inside,
                                 std::numeric_limits<Count>::max());
}
