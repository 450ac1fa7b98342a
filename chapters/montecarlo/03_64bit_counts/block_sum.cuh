// SPDX-License-Identifier: MIT
// The sum over a block by warp shuffles, with counts of 64 bits.
#pragma once

#include <cuda_runtime.h>

namespace montecarlo {

using Count = unsigned long long;
inline constexpr int kBlockSize = 256;
inline constexpr int kWarpSize = 32;
inline constexpr unsigned int kAllLanes = 0xffffffff;

// The sum of `value` over the warp, valid in lane 0.
__device__ __forceinline__ Count sum_over_warp(Count value) {
    for (int half = kWarpSize / 2; half > 0; half /= 2) {
        value += __shfl_down_sync(kAllLanes, value, half);
    }
    return value;
}

// The sum of `value` over the block, valid in thread 0.
__device__ __forceinline__ Count sum_over_block(Count value) {
    __shared__ Count s_counts[kBlockSize / kWarpSize];
    const int thread = threadIdx.x, warp = thread / kWarpSize, lane = thread % kWarpSize;
    value = sum_over_warp(value);
    if (lane == 0) s_counts[warp] = value;
    __syncthreads();  // every warp must write its count before the first warp reads them
    if (warp > 0) return 0;
    return sum_over_warp(lane < kBlockSize / kWarpSize ? s_counts[lane] : 0);
}

}  // namespace montecarlo
