// SPDX-License-Identifier: MIT
// Monte Carlo, stage limit/02: one random word for each point.
// Idea: a word of 32 bits is enough for a point, 16 bits for each coordinate. So a point costs one
// step of the generator. Its halves are tested as integers: no conversion to float, no comparison.
// Each step of XORWOW moves its five words by one place; in a loop that is unrolled by a multiple
// of five, they only change their names, and the moves are gone.
// Compared with limit/01_flushed_counts: the point and its test; the pragma, where the compiler's
// own choice is four copies. Points on a grid of 2^16 x 2^16 cells are not quite uniform: the
// estimate is biased by -1.8e-7, a standard error at 8e13 points.
// Limit now: integer arithmetic, of the generator and of the test.
// Not of the thesis.
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

constexpr montecarlo::Method kMethod = {.generator = montecarlo::Generator::kXorwow,
                                        .test = montecarlo::PointTest::kIntegers};
constexpr int kUnroll = 10;  // a multiple of XORWOW's five words
constexpr unsigned int kFlushPoints = 1 << 30;  // a count of 32 bits holds them

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
    for (Count left = my_samples; left > 0;) {
        const unsigned int chunk = left < kFlushPoints ? left : kFlushPoints;
        unsigned int chunk_outside = 0;
#pragma unroll kUnroll
        for (unsigned int i = 0; i < chunk; ++i) {
            // The word's halves, as numbers with a sign.
            const unsigned int word = curand(&state);
            const int x = static_cast<int>(word) >> 16;
            const int y = static_cast<short>(word);
            // Below 2^31, so the shift gives 1 if the point is outside, else 0.
            const unsigned int squares = static_cast<unsigned int>(x * x + x) + y * y;
            chunk_outside += squares >> 30;
        }
        inside += chunk - chunk_outside;
        left -= chunk;
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
                        .operations = kMethod.operations_per_point() * input.samples});
}

int main(int argc, char** argv) {
    return montecarlo::run_stage(argc, argv, STAGE_NAME, count_inside,
                                 std::numeric_limits<Count>::max(), kMethod);
}
