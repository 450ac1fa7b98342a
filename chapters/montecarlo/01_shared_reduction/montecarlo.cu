// SPDX-License-Identifier: MIT
// Monte Carlo, stage 01: a grid of generators, block sums in shared memory.
// Idea: each thread draws its share of the points from its own XORWOW subsequence. A block adds up
// the counts of its threads in shared memory, by halves; the CPU adds up the counts of the blocks.
// Compared with 00_cpu: the loop over the points is divided among as many threads as the GPU holds.
// Limit now: integer arithmetic of the generator; at small sizes its initialisation, which jumps
// 2^67 numbers ahead per thread index. Counts have 32 bits, which allow fewer than 2^32 points.
// Thesis 8.3 and appendix F, figures 8.1 and 8.2.
#include <cuda_runtime.h>
#include <curand_kernel.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/resident_blocks.hpp"
#include "problem/montecarlo.hpp"

using course::cuda_check, course::DeviceBuffer;
using montecarlo::Input, montecarlo::Output, montecarlo::Phase, montecarlo::PhaseTimer;

using Count = std::uint32_t;
constexpr int kBlockSize = 256;

// The sum of `value` over the block, valid in thread 0.
__device__ __forceinline__ Count sum_over_block(Count value) {
    __shared__ Count s_counts[kBlockSize];
    const int thread = threadIdx.x;
    s_counts[thread] = value;
    __syncthreads();  // every count must be written before another thread reads it
    for (int half = kBlockSize / 2; half > 0; half /= 2) {
        if (thread < half) s_counts[thread] += s_counts[thread + half];
        __syncthreads();  // all additions must be done before the next half is added
    }
    return s_counts[0];
}

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
