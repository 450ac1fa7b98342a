// SPDX-License-Identifier: MIT
// The bitonic sorts of stages 03 and 04, for the stages that build on them: the kernels, and
// functions that launch them from the host or (compiled with -rdc=true) from the device.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "problem/quicksort.hpp"

namespace quicksort {

inline constexpr int kStepBlockSize = 256;  // for the two kernels of one step

// Imagine the list padded with keys larger than any real key: a pair whose partner lies beyond the
// end is already in order.
// Unchanged from stage 03_bitonic_first_step.
__device__ __forceinline__ void compare_exchange(Key* keys, int i, int partner, int count) {
    if (partner >= count) return;
    const Key key = keys[i];
    const Key other = keys[partner];
    if (other < key) {
        keys[i] = other;
        keys[partner] = key;
    }
}

// The same with 64-bit indices. Unchanged from stage 04_bitonic_two_kernels.
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

// One block. It has at least half as many threads as std::bit_ceil(count).
// It needs count * sizeof(Key) bytes of dynamic shared memory.
// Unchanged from stage 03_bitonic_first_step.
static __global__ void sort_block_kernel(Key* keys, int count) {
    extern __shared__ Key s_keys[];
    const int thread = threadIdx.x;
    for (int i = thread; i < count; i += blockDim.x) s_keys[i] = keys[i];
    __syncthreads();  // the first step reads keys that other threads have loaded
    compare_exchange(s_keys, 2 * thread, 2 * thread + 1, count);
    __syncthreads();
    for (int size = 4; size < 2 * count; size *= 2) {
        const int i = 2 * thread - (thread & (size / 2 - 1));
        compare_exchange(s_keys, i, i ^ (size - 1), count);
        __syncthreads();  // the next step reads keys that other threads wrote in this one
        for (int stride = size / 4; stride > 0; stride /= 2) {
            const int j = thread + (thread & ~(stride - 1));
            compare_exchange(s_keys, j, j + stride, count);
            __syncthreads();
        }
    }
    for (int i = thread; i < count; i += blockDim.x) keys[i] = s_keys[i];
}

// Sorts `count` keys in shared memory by the network of stage 03. All threads of the block call,
// however many there are; none of them needs a barrier before or after.
__device__ inline void sort_by_block(Key* s_keys, int count) {
    for (int size = 2; size < 2 * count; size *= 2) {
        const int pairs = (count + size - 1) / size * (size / 2);
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();  // the keys are written, or the step before has ended
            for (int pair = threadIdx.x; pair < pairs; pair += blockDim.x) {
                const int i = 2 * pair - (pair & (stride - 1));
                compare_exchange(s_keys, i, stride == size / 2 ? i ^ (size - 1) : i + stride,
                                 count);
            }
        }
    }
    __syncthreads();  // the last step has ended
}

// Unchanged from stage 04_bitonic_two_kernels.
__device__ __forceinline__ std::int64_t global_thread() {
    return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

// The first step of the merge of two runs of size / 2 keys: compares each key of the first run with
// its mirror image in the second.
// Unchanged from stage 04_bitonic_two_kernels.
static __global__ void compare_mirrored_kernel(Key* keys, std::int64_t count, std::int64_t size) {
    const std::int64_t thread = global_thread();
    const std::int64_t i = 2 * thread - (thread & (size / 2 - 1));
    compare_exchange(keys, i, i ^ (size - 1), count);
}

// Each later step: compares each key with the key one stride further on.
// Unchanged from stage 04_bitonic_two_kernels.
static __global__ void compare_strided_kernel(Key* keys, std::int64_t count, std::int64_t stride) {
    const std::int64_t thread = global_thread();
    const std::int64_t i = thread + (thread & ~(stride - 1));
    compare_exchange(keys, i, i + stride, count);
}

// Threads for sort_block_kernel's block: a power of two, at least half of `count`.
__host__ __device__ inline int sort_block_threads(int count) {
    int threads = 1;
    while (2 * threads < count) threads *= 2;
    return threads;
}

// Queues the sort of `count` keys by one block: at most twice as many keys as a block can have
// threads. Returns the error of the launch.
#if defined(__CUDACC_RDC__) || defined(CUDA_EMULATOR)  // else no kernel may launch
__device__
#endif
    __host__ inline cudaError_t
    launch_block_sort(Key* keys, int count, cudaStream_t stream) {
    sort_block_kernel<<<1, sort_block_threads(count), count * sizeof(Key), stream>>>(keys, count);
    return cudaGetLastError();
}

// How many kernels launch_step_sort launches.
__host__ __device__ inline int step_sort_launches(std::int64_t count) {
    int merges = 0;
    for (std::int64_t size = 2; size < 2 * count; size *= 2) ++merges;
    return merges * (merges + 1) / 2;
}

// Queues the sort of any number of keys on one stream, one launch per step. Returns the first
// error; cudaErrorInvalidConfiguration if a grid would have more than 2^31 - 1 blocks.
#if defined(__CUDACC_RDC__) || defined(CUDA_EMULATOR)  // else no kernel may launch
__device__
#endif
    __host__ inline cudaError_t
    launch_step_sort(Key* keys, std::int64_t count, cudaStream_t stream) {
    if (count / (2 * kStepBlockSize) >= (std::int64_t{1} << 30)) {
        return cudaErrorInvalidConfiguration;
    }
    const auto blocks_for = [count](std::int64_t size) {
        const std::int64_t pairs = (count + size - 1) / size * (size / 2);
        return static_cast<unsigned>((pairs + kStepBlockSize - 1) / kStepBlockSize);
    };
    for (std::int64_t size = 2; size < 2 * count; size *= 2) {
        compare_mirrored_kernel<<<blocks_for(size), kStepBlockSize, 0, stream>>>(keys, count, size);
        cudaError_t status = cudaGetLastError();
        if (status != cudaSuccess) return status;
        for (std::int64_t stride = size / 4; stride > 0; stride /= 2) {
            compare_strided_kernel<<<blocks_for(2 * stride), kStepBlockSize, 0, stream>>>(
                keys, count, stride);
            status = cudaGetLastError();
            if (status != cudaSuccess) return status;
        }
    }
    return cudaSuccess;
}

}  // namespace quicksort
