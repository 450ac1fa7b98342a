// SPDX-License-Identifier: MIT
// How a run leaves shared memory by a bulk copy.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cuda/ptx>

#include "blocks/networks/wide_access.cuh"
#include "limit/01_multiway_partition/multiway.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

// Stores two keys at once, at 8 bytes.
__device__ inline void store_two(const Key* s_keys, Key* to) {
    *reinterpret_cast<int2*>(to) = *reinterpret_cast<const int2*>(s_keys);
}

// How many keys the run of a part can take in shared memory: its keys, and up to kWide - 1 on each
// side. A multiple of kWide, and 0 without keys.
__device__ __forceinline__ unsigned room_of_run(unsigned count) {
    return count > 0 ? (count + 2 * (kWide - 1)) / kWide * kWide : 0;
}

// The dynamic shared memory for the runs of a tile, in bytes.
template <int kBits, int kThreadKeys>
constexpr int kRunBytes = (kThreads * kThreadKeys + ((2 * (kWide - 1)) << kBits)) *
                          static_cast<int>(sizeof(Key));

// Stores a run. It begins as many keys behind a multiple of 16 bytes as its target: up to three
// keys on each side, or one pair, are no part of the bulk copy. Devices below compute capability
// 9.0 have none.
__device__ inline void store_run(const Key* s_run, Key* to, unsigned count) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    const unsigned head = -reinterpret_cast<std::uintptr_t>(to) / sizeof(Key) % kWide;
    if (count >= head + kWide) {
        const unsigned body = (count - head) / kWide * kWide, tail = (count - head) % kWide;
        const unsigned end = count - tail;
        cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, to + head,
                                 s_run + head, body * static_cast<unsigned>(sizeof(Key)));
        if (head & 1) to[0] = s_run[0];
        if (head & 2) store_two(s_run + (head & 1), to + (head & 1));
        if (tail & 2) store_two(s_run + end, to + end);
        if (tail & 1) to[count - 1] = s_run[count - 1];
        return;
    }
#endif
    for (unsigned i = 0; i < count; ++i) to[i] = s_run[i];
}

// Lets the bulk copies that come after the next barrier see what this thread has stored in shared
// memory.
__device__ __forceinline__ void show_to_bulk_copies() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
#endif
}

// Waits until the bulk copies of this thread have read shared memory.
__device__ __forceinline__ void wait_for_bulk_copies() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    cuda::ptx::cp_async_bulk_commit_group();
    cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>());
#endif
}

}  // namespace quicksort
