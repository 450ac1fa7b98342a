// SPDX-License-Identifier: MIT
// Monte Carlo, stage limit/03: a generator with two words of state.
// Idea: xoroshiro64* (Blackman and Vigna 2021) takes fewer instructions than XORWOW, and a state of
// 64 bits is cheap to start: a thread's stream begins 10^12 steps after the one before it, which is
// at most 25 products of a matrix of 64 x 64 bits with the state. The test moves to the pipe for
// floats, which is idle beside the integer pipe: two multiply-adds, the second one saturated.
// Compared with limit/02_one_word: next_word and the beginning of the stream replace cuRAND; the
// test is_inside, whose float counts to 2^24, so that a chunk has fewer points.
// Limit now: issue of instructions.
// Not of the thesis.
#include <cuda_runtime.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "03_64bit_counts/block_sum.cuh"
#include "common/base/error.hpp"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/resident_blocks.hpp"
#include "common/input/splitmix64.hpp"
#include "limit/03_xoroshiro/bit_matrix.cuh"
#include "problem/montecarlo.hpp"

using course::cuda_check, course::DeviceBuffer;
using montecarlo::BitMatrix, montecarlo::State;
using montecarlo::Count, montecarlo::kBlockSize, montecarlo::sum_over_block;
using montecarlo::Input, montecarlo::Output, montecarlo::Phase, montecarlo::PhaseTimer;

constexpr montecarlo::Method kMethod = {.generator = montecarlo::Generator::kXoroshiro,
                                        .test = montecarlo::PointTest::kFloats};
constexpr int kUnroll = 8;
constexpr unsigned int kFlushPoints = 1 << 20;
static_assert(kFlushPoints <= 1 << 24, "a float counts to 2^24");
constexpr std::uint64_t kStreamDistance = 1'000'000'000'000;  // never a power of 2
static_assert(montecarlo::kMaxWordSamples / kBlockSize < kStreamDistance, "a stream ends in time");
constexpr int kJumps = 25;  // bits of a thread's number
// All streams are stretches of one sequence of 2^64 - 1 states: so many of them do not overlap.
constexpr std::int64_t kMaxStreams = 0xffff'ffff'ffff'ffff / kStreamDistance;

// Advances the state by one step, and returns its word.
__device__ __forceinline__ unsigned int next_word(unsigned int& a, unsigned int& b) {
    const unsigned int word = a * 0x9e3779bb;
    b ^= a;
    a = __funnelshift_l(a, a, 26) ^ b ^ (b << 9);  // a rotation is one instruction
    b = __funnelshift_l(b, b, 13);
    return word;
}

// 1 if a point is inside, else 0: x is the word, y is its lower half.
__device__ __forceinline__ float is_inside(unsigned int word) {
    const float x = static_cast<float>(static_cast<int>(word));
    const float y = static_cast<float>(static_cast<int>(word << 16));
    // 2^62 - y^2 - x^2 is an integer: saturated, it is 0 or 1.
    return __saturatef(fmaf(-x, x, fmaf(-y, y, 0x1p62f)));
}

__global__ void count_inside_kernel(Count samples, State state, const BitMatrix* __restrict__ jumps,
                                    Count* __restrict__ block_counts) {
    const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned int threads = gridDim.x * blockDim.x;
    // The remainder goes to the first threads of the GRID, one point each: in total exactly
    // `samples`.
    const Count my_samples = samples / threads + (thread < samples % threads ? 1 : 0);

    // The stream begins kStreamDistance * thread steps after the first state.
    for (int e = 0; thread >> e != 0; ++e) {
        if (thread >> e & 1) state = product(jumps[e], state);
    }
    unsigned int a = static_cast<unsigned int>(state), b = state >> 32;
    Count inside = 0;
    for (Count left = my_samples; left > 0;) {
        const unsigned int chunk = left < kFlushPoints ? left : kFlushPoints;
        float chunk_inside = 0;
#pragma unroll kUnroll
        for (unsigned int i = 0; i < chunk; ++i) {
            chunk_inside += is_inside(next_word(a, b));
        }
        inside += static_cast<unsigned int>(chunk_inside);
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

// The same step as a matrix. Bits 0 to 31 of a state are a, the others are b.
BitMatrix step_matrix() {
    BitMatrix step;
    for (int c = 0; c < 64; ++c) {
        const auto a = static_cast<std::uint32_t>(State{1} << c);
        const auto b = static_cast<std::uint32_t>(State{1} << c >> 32) ^ a;
        step.columns[c] = State{std::rotl(b, 13)} << 32 | (std::rotl(a, 26) ^ b ^ b << 9);
    }
    return step;
}

void count_inside(const Input& input, Output& output, PhaseTimer& timer) {
    timer.begin(Phase::kSetup);
    const std::int64_t blocks = choose_blocks(input);
    if (blocks > kMaxStreams / kBlockSize) {
        throw course::UsageError("--blocks " + std::to_string(blocks) + ": at most " +
                                 std::to_string(kMaxStreams / kBlockSize) +
                                 " blocks, or the streams of their threads would overlap");
    }
    std::uint64_t seed = input.seed;
    State first = 0;
    while (first == 0) first = course::next_splitmix64(seed);
    std::vector<BitMatrix> h_jumps = {power_of(step_matrix(), kStreamDistance)};
    while (h_jumps.size() < kJumps) h_jumps.push_back(product(h_jumps.back(), h_jumps.back()));
    std::vector<Count> h_block_counts(blocks);
    DeviceBuffer<BitMatrix> d_jumps(kJumps);
    DeviceBuffer<Count> d_block_counts(blocks);

    timer.begin(Phase::kCopyIn);
    cuda_check(cudaMemcpy(d_jumps.data(), h_jumps.data(), d_jumps.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    count_inside_kernel<<<blocks, kBlockSize>>>(input.samples, first, d_jumps.data(),
                                                d_block_counts.data());
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
