// SPDX-License-Identifier: MIT
// Bitonic sorts of a whole list, for the stages that use them: by one block in shared memory, or by
// one launch per step. The host can queue both, and so can a kernel that is compiled with
// -rdc=true.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "03_bitonic_first_step/block_sort.cuh"
#include "04_bitonic_two_kernels/step_sort.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

inline constexpr int kStepBlockSize = 256;  // for the two kernels of one step

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
