// SPDX-License-Identifier: MIT
// Copies by the hardware between global and shared memory, without a register between. They need a
// GPU of compute capability 9.0.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cuda/ptx>

#include "problem/mergesort.hpp"

namespace mergesort {

// A bulk copy begins and ends at multiples of 16 bytes.
inline constexpr int kBulkKeys = 16 / sizeof(Key);

__host__ __device__ constexpr std::int64_t whole_bulks(std::int64_t count) {
    return (count + kBulkKeys - 1) / kBulkKeys * kBulkKeys;
}

// One thread calls, before any copy begins: s_arrived is for copies of so many keys together.
__device__ __forceinline__ void expect_bulks(int keys, std::uint64_t& s_arrived) {
    cuda::ptx::mbarrier_init(&s_arrived, 1);
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta,
                                         cuda::ptx::space_shared, &s_arrived, keys * sizeof(Key));
}

// One thread calls. It does not wait for the keys.
__device__ __forceinline__ void fetch_bulk(Key* s_to, const Key* from, int keys,
                                           std::uint64_t& s_arrived) {
    cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, s_to, from,
                             keys * sizeof(Key), &s_arrived);
}

// All threads that read the keys call, behind a barrier after expect_bulks().
__device__ __forceinline__ void wait_for_bulks(std::uint64_t& s_arrived) {
    while (!cuda::ptx::mbarrier_try_wait_parity(&s_arrived, 0)) continue;
}

// All threads call, behind a barrier; before it, each that stored keys of the tile has called
// fence_proxy_async(). Stores the first `count` keys, to a place that is a multiple of kBulkKeys.
// Returns when shared memory may be used again.
__device__ __forceinline__ void store_bulk(Key* __restrict__ to, const Key* s_keys, int count) {
    const int copied = count / kBulkKeys * kBulkKeys, thread = threadIdx.x;
    if (thread == 0 && copied > 0) {
        cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, to, s_keys,
                                 copied * sizeof(Key));
        cuda::ptx::cp_async_bulk_commit_group();
    }
    if (thread < count - copied) to[copied + thread] = s_keys[copied + thread];
    if (thread == 0) cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>());
}

}  // namespace mergesort
