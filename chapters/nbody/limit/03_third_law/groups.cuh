// SPDX-License-Identifier: MIT
// Which packets a warp's group of bodies meets, so that each pair of bodies meets once.
#pragma once

#include <cuda_runtime.h>

#include "04_soa_accelerations/leapfrog.cuh"

namespace nbody {

constexpr int kWarpSize = 32;
constexpr unsigned kAllLanes = 0xFFFFFFFF;
constexpr int kWarps = 4;  // of a block; each works alone
constexpr int kBlockSize = kWarps * kWarpSize;
constexpr int kBlocks = 4;  // of a multiprocessor, so that a thread gets 128 registers
constexpr int kBodiesPerLane = 8;
constexpr int kPackets = kBodiesPerLane;  // of a group
constexpr int kGroup = kBodiesPerLane * kWarpSize;

// The packets that a group must meet: its own, and those of the next groups, up to half of all. The
// last group is followed by the first. So two groups meet once. With an even number of groups, two
// opposite ones meet from one side only.
__device__ __forceinline__ int packets_to_meet(int group, int groups) {
    const int half = groups / 2;
    return ((groups % 2 == 1 || group < half ? half : half - 1) + 1) * kPackets;
}

// The sum that the next lane holds; the last lane is followed by the first.
__device__ __forceinline__ float3 of_next_lane(float3 sum) {
    const int next = (threadIdx.x + 1) % kWarpSize;
    return make_float3(__shfl_sync(kAllLanes, sum.x, next), __shfl_sync(kAllLanes, sum.y, next),
                       __shfl_sync(kAllLanes, sum.z, next));
}

// Adds to the acceleration of a body. Other warps may add to it at the same time.
__device__ __forceinline__ void add_to(Lists3 accelerations, int i, float factor, float3 sum) {
    atomicAdd(&accelerations.x[i], factor * sum.x);
    atomicAdd(&accelerations.y[i], factor * sum.y);
    atomicAdd(&accelerations.z[i], factor * sum.z);
}

}  // namespace nbody
