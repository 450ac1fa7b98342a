// SPDX-License-Identifier: MIT
// Monte Carlo, stage many_gpus: many GPUs.
// Idea: one process per GPU, a rank. Every rank has the same streams of random numbers, but begins
// at another place in each, so that the points do not depend on the number of ranks. One all-reduce
// of 8 bytes adds the counts.
// Compared with limit/04_four_tap: where a rank's streams begin; the sum on the device, then over
// ranks.
// Limit now: issue of instructions on each GPU; the ranks meet once.
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
#include "common/ranks/nccl_ranks.hpp"
#include "limit/04_four_tap/four_tap_streams.cuh"
#include "problem/montecarlo.hpp"

using course::cuda_check, course::DeviceBuffer, course::nccl_check;
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
    count_inside_kernel(Count least_samples, unsigned int more,
                        const unsigned int* __restrict__ states, Count* __restrict__ total) {
    const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const std::size_t threads = gridDim.x * blockDim.x;
    // `more` threads of the GRID draw one point more than the others.
    const Count my_samples = least_samples + (thread < more ? 1 : 0);

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
    if (threadIdx.x == 0) atomicAdd(total, block_count);
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
    course::NcclRanks& ranks = course::NcclRanks::of(timer);
    const std::int64_t blocks = choose_blocks(input);
    const std::int64_t threads = blocks * kBlockSize;
    // Of the points of each stream, this rank draws a slice. A point takes one number.
    const course::Slice slice = ranks.slice(input.samples / threads);
    const bool is_last = ranks.rank() == ranks.count() - 1;
    const unsigned int more = is_last ? input.samples % threads : 0;
    const std::vector<unsigned int> h_base_words =
        montecarlo::base_words_of(input.seed, slice.begin);
    const std::vector<Polynomial> h_jumps = montecarlo::stream_jumps(threads);
    DeviceBuffer<unsigned int> d_base_words(h_base_words.size()), d_states(threads * kDegree);
    DeviceBuffer<Polynomial> d_jumps(h_jumps.size());
    DeviceBuffer<Count> d_inside(1);
    const ncclComm_t communicator = ranks.communicator();

    timer.begin(Phase::kCopyIn);
    cuda_check(cudaMemcpy(d_base_words.data(), h_base_words.data(), d_base_words.bytes(),
                          cudaMemcpyHostToDevice));
    cuda_check(cudaMemcpy(d_jumps.data(), h_jumps.data(), d_jumps.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    cuda_check(cudaMemsetAsync(d_inside.data(), 0, d_inside.bytes()));
    montecarlo::seed_streams_kernel<<<blocks, kBlockSize>>>(d_base_words.data(), d_jumps.data(),
                                                            d_states.data());
    cuda_check(cudaGetLastError());
    count_inside_kernel<<<blocks, kBlockSize>>>(slice.size(), more, d_states.data(),
                                                d_inside.data());
    cuda_check(cudaGetLastError());
    if (ranks.count() > 1) {
        nccl_check(ncclAllReduce(d_inside.data(), d_inside.data(), 1, ncclUint64, ncclSum,
                                 communicator, nullptr));
    }

    timer.begin(Phase::kCopyOut);
    Count inside = 0;
    cuda_check(cudaMemcpy(&inside, d_inside.data(), sizeof inside, cudaMemcpyDeviceToHost));
    output.inside = inside;
    output.generators = threads;
    timer.end();
    timer.note_grid(blocks, kBlockSize);
    // Of all ranks.
    timer.declare_work({.bytes = 2.0 * d_states.bytes() * ranks.count(),
                        .operations = kMethod.operations_per_point() * input.samples});
}

int main(int argc, char** argv) {
    return montecarlo::run_stage(argc, argv, STAGE_NAME, count_inside,
                                 std::numeric_limits<Count>::max(), kMethod);
}
