// SPDX-License-Identifier: MIT
// Quicksort, stage 04: bitonic sort of any length, a launch a step.
// Idea: blocks cannot wait for one another, but a kernel waits for the one before it: with the
// loops on the host the end of a launch is the barrier, and the list may be as long as memory.
// Compared with 03_bitonic_first_step: two kernels of one step each, many blocks, 64-bit indices,
// no shared memory. 2048 keys take 66 launches where one was enough.
// Limit now: launches for short lists; for long ones memory, which all keys pass at each step.
// Thesis 3.3.1 and appendix A, figure 3.10.
#include <cuda_runtime.h>

#include <cstdint>
#include <limits>
#include <stdexcept>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/quicksort.hpp"

using course::cuda_check, course::DeviceBuffer;
using quicksort::Input, quicksort::Key, quicksort::Output, quicksort::Phase, quicksort::PhaseTimer;

constexpr int kBlockSize = 256;

// Behind the end stand, in thought, keys larger than all: there the smaller one is in place
// already.
__device__ __forceinline__ void compare_exchange(Key* keys, std::int64_t i, std::int64_t partner,
                                                 std::int64_t count) {
    if (partner >= count) return;
    const Key key = keys[i];
    const Key other = keys[partner];
    if (other < key) {
        keys[i] = other;
        keys[partner] = key;
    }
}

__device__ __forceinline__ std::int64_t global_thread() {
    return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

// The first step of the merge of two runs of size / 2: each key of the first with its mirror image
// in the second.
__global__ void compare_mirrored_kernel(Key* keys, std::int64_t count, std::int64_t size) {
    const std::int64_t thread = global_thread();
    const std::int64_t i = 2 * thread - (thread & (size / 2 - 1));
    compare_exchange(keys, i, i ^ (size - 1), count);
}

// Each later step: the key a stride on.
__global__ void compare_strided_kernel(Key* keys, std::int64_t count, std::int64_t stride) {
    const std::int64_t thread = global_thread();
    const std::int64_t i = thread + (thread & ~(stride - 1));
    compare_exchange(keys, i, i + stride, count);
}

// Blocks for the pairs of a list that is cut into parts of `size`, the last of which may be short.
int blocks_for(std::int64_t count, std::int64_t size) {
    const std::int64_t pairs = (count + size - 1) / size * (size / 2);
    const std::int64_t blocks = (pairs + kBlockSize - 1) / kBlockSize;
    if (blocks > std::numeric_limits<int>::max()) {
        throw std::length_error("a grid has at most 2^31 - 1 blocks");
    }
    return static_cast<int>(blocks);
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    timer.begin(Phase::kSetup);
    DeviceBuffer<Key> d_keys(count);

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_keys.data(), input.keys.data(), d_keys.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    std::int64_t compared = 0;  // keys, over all steps
    for (std::int64_t size = 2; size < 2 * count; size *= 2) {
        compare_mirrored_kernel<<<blocks_for(count, size), kBlockSize>>>(d_keys.data(), count,
                                                                         size);
        cuda_check(cudaGetLastError());
        compared += count / size * size;
        for (std::int64_t stride = size / 4; stride > 0; stride /= 2) {
            compare_strided_kernel<<<blocks_for(count, 2 * stride), kBlockSize>>>(d_keys.data(),
                                                                                  count, stride);
            cuda_check(cudaGetLastError());
            compared += count / (2 * stride) * (2 * stride);
        }
    }

    timer.begin(Phase::kCopyOut);
    cuda_check(
        cudaMemcpy(output.keys.data(), d_keys.data(), d_keys.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid(blocks_for(count, 2), kBlockSize);
    timer.declare_work({.bytes = 4.0 * compared});  // read at each step; written if exchanged
}

int main(int argc, char** argv) { return quicksort::run_stage(argc, argv, STAGE_NAME, sort_keys); }
