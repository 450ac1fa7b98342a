// SPDX-License-Identifier: MIT
// How many blocks of a kernel run at once.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "common/cuda/cuda_check.hpp"

namespace course {

// The blocks of `threads` threads and `dynamic_shared` bytes that fit the current device at once:
// the grid of a kernel whose blocks stay and take one piece of work after the other.
template <class Kernel>
int resident_blocks(Kernel* kernel, int threads, std::size_t dynamic_shared = 0) {
    int device = 0, multiprocessors = 0, blocks_each = 0;
    cuda_check(cudaGetDevice(&device));
    cuda_check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_each, kernel, threads,
                                                             dynamic_shared));
    return multiprocessors * blocks_each;
}

}  // namespace course
