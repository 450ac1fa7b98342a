// SPDX-License-Identifier: MIT
// Monte Carlo, stage limit/04: a generator of 89 words in registers.
// Idea: word n is the XOR of the words 20, 51, 60 and 89 places before it. With all 89 words in
// registers, this costs two instructions and no shift. The generator is a generalised feedback
// shift register (Lewis and Payne 1973) with Ziff's four taps (Computers in Physics 12, 1998).
// Compared with limit/03_xoroshiro: the generator; a kernel of its own computes where each stream
// begins.
// Limit now: issue of instructions; a point takes 8, two of them for its word.
// Not of the thesis.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "03_64bit_counts/block_sum.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/resident_blocks.hpp"
#include "limit/04_four_tap/four_tap_streams.cuh"
#include "problem/montecarlo.hpp"

using course::cuda_check, course::DeviceBuffer;
using montecarlo::Count, montecarlo::kBlockSize, montecarlo::sum_over_block;
using montecarlo::Input, montecarlo::Output, montecarlo::Phase, montecarlo::PhaseTimer;
using montecarlo::kDegree, montecarlo::Polynomial;

constexpr montecarlo::Method kMethod = {.generator = montecarlo::Generator::kFourTap,
                                        .test = montecarlo::PointTest::kFloats,
                                        .bytes_per_generator = kDegree * sizeof(unsigned int)};
constexpr int kLeastRounds = 4;  // per thread: fewer would take less time than its start
constexpr unsigned int kFlushRounds = 1 << 14;
static_assert(kFlushRounds * kDegree <= 1 << 24, "a float counts to 2^24");

// The next word of a state; k is its number modulo 89. It replaces the oldest word.
__device__ __forceinline__ unsigned int next_word(unsigned int (&words)[kDegree], int k) {
    words[k] = words[k] ^ words[(k + 29) % kDegree] ^ words[(k + 38) % kDegree] ^
               words[(k + 69) % kDegree];
    return words[k];
}

// 1 if a point is inside, else 0: x is the word, y is its lower half.
__device__ __forceinline__ float is_inside(unsigned int word) {
    const float x = static_cast<float>(static_cast<int>(word));
    const float y = static_cast<float>(static_cast<int>(word << 16));
    // 2^62 - y^2 - x^2 is an integer: saturated, it is 0 or 1.
    return __saturatef(fmaf(-x, x, fmaf(-y, y, 0x1p62f)));
}

// Two blocks on a multiprocessor leave 128 registers for each thread: 89 words and the rest.
__global__ void __launch_bounds__(kBlockSize, 2)
    count_inside_kernel(Count samples, const unsigned int* __restrict__ states,
                        Count* __restrict__ block_counts) {
    const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const std::size_t threads = gridDim.x * blockDim.x;
    // The remainder goes to the first threads of the GRID, one point each: in total exactly
    // `samples`.
    const Count my_samples = samples / threads + (thread < samples % threads ? 1 : 0);

    unsigned int words[kDegree];
#pragma unroll
    for (int k = 0; k < kDegree; ++k) words[k] = states[k * threads + thread];
    Count inside = 0;
    for (Count left = my_samples / kDegree; left > 0;) {
        const unsigned int rounds = left < kFlushRounds ? left : kFlushRounds;
        float rounds_inside = 0;
        for (unsigned int i = 0; i < rounds; ++i) {
            // All of a state's indices are constants, so that its words can stay in registers.
#pragma unroll
            for (int k = 0; k < kDegree; ++k) rounds_inside += is_inside(next_word(words, k));
        }
        inside += static_cast<unsigned int>(rounds_inside);
        left -= rounds;
    }
    const int rest = my_samples % kDegree;
    float rest_inside = 0;
#pragma unroll
    for (int k = 0; k < kDegree; ++k) {
        if (k < rest) rest_inside += is_inside(next_word(words, k));
    }
    inside += static_cast<unsigned int>(rest_inside);

    const Count block_count = sum_over_block(inside);
    if (threadIdx.x == 0) block_counts[blockIdx.x] = block_count;
}

// One full wave: as many blocks as the device holds at once, but no block whose threads would
// mostly compute where they begin.
std::int64_t choose_blocks(const Input& input) {
    if (input.blocks > 0) return input.blocks;
    const int at_once = course::resident_blocks(count_inside_kernel, kBlockSize);
    const std::int64_t blocks_with_points =
        (input.samples - 1) / (kBlockSize * kLeastRounds * kDegree) + 1;
    return std::min<std::int64_t>(at_once, blocks_with_points);
}

void count_inside(const Input& input, Output& output, PhaseTimer& timer) {
    timer.begin(Phase::kSetup);
    const std::int64_t blocks = choose_blocks(input);
    const std::vector<unsigned int> h_base_words = montecarlo::base_words_of(input.seed);
    const std::vector<Polynomial> h_jumps = montecarlo::stream_jumps(blocks * kBlockSize);
    std::vector<Count> h_block_counts(blocks);
    DeviceBuffer<unsigned int> d_base_words(h_base_words.size()),
        d_states(blocks * kBlockSize * kDegree);
    DeviceBuffer<Polynomial> d_jumps(h_jumps.size());
    DeviceBuffer<Count> d_block_counts(blocks);

    timer.begin(Phase::kCopyIn);
    cuda_check(cudaMemcpy(d_base_words.data(), h_base_words.data(), d_base_words.bytes(),
                          cudaMemcpyHostToDevice));
    cuda_check(cudaMemcpy(d_jumps.data(), h_jumps.data(), d_jumps.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    montecarlo::seed_streams_kernel<<<blocks, kBlockSize>>>(d_base_words.data(), d_jumps.data(),
                                                            d_states.data());
    cuda_check(cudaGetLastError());
    count_inside_kernel<<<blocks, kBlockSize>>>(input.samples, d_states.data(),
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
    timer.declare_work({.bytes = static_cast<double>(d_block_counts.bytes() + 2 * d_states.bytes()),
                        .operations = kMethod.operations_per_point() * input.samples});
}

int main(int argc, char** argv) {
    return montecarlo::run_stage(argc, argv, STAGE_NAME, count_inside,
                                 std::numeric_limits<Count>::max(), kMethod);
}
