// SPDX-License-Identifier: MIT
// Masses as logarithms of their parts of a unit, and the kernel that uses them.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "limit/02_bodies_in_registers/mass_first.cuh"
#include "limit/03_third_law/groups.cuh"
#include "problem/nbody.hpp"

namespace nbody {

// A body with the logarithm of its mass, as a part of the largest mass: near 0, a logarithm has
// most digits. A body without mass gets 2^-60, and so feels all pulls. Past the end of the list
// there are bodies with 2^-infinity = 0, which pull nobody.
__device__ __forceinline__ float4 load_body(const float4* __restrict__ bodies, int i, int count,
                                            float inverse_unit) {
    if (i >= count) return make_float4(0.0f, 0.0f, 0.0f, -INFINITY);
    float4 body = bodies[i];
    body.w = __log2f(fmaxf(body.w * inverse_unit, kSmallestPart));
    return body;
}

// The pulls of `own` and `other` on each other, times the mass of the body that is pulled.
__device__ __forceinline__ void add_pulls(float4 own, float4 other, float softening_squared,
                                          float3& own_sum, float3& other_sum) {
    const float dx = other.x - own.x;
    const float dy = other.y - own.y;
    const float dz = other.z - own.z;
    const float distance_squared = softening_squared + dx * dx + dy * dy + dz * dz;
    const float pull = exp2f(-1.5f * __log2f(distance_squared) + (other.w + own.w));
    own_sum.x += dx * pull;
    own_sum.y += dy * pull;
    own_sum.z += dz * pull;
    other_sum.x += dx * pull;
    other_sum.y += dy * pull;
    other_sum.z += dz * pull;
}

// One warp per group and part of the packets that it must meet.
__global__ void __launch_bounds__(kBlockSize, kBlocks)
    compute_accelerations_kernel(const float4* __restrict__ bodies, Lists3 accelerations, int count,
                                 int parts, int packets_each, float softening_squared,
                                 float mass_unit) {
    // Each packet twice, so that lane + step needs no modulo.
    __shared__ float4 s_packets[kWarps][2 * kWarpSize];
    const int lane = threadIdx.x % kWarpSize;
    // All lanes take lane 0's number, so the compiler knows that they stay together.
    const int warp = __shfl_sync(kAllLanes, threadIdx.x / kWarpSize, 0);
    float4* const s_packet = s_packets[warp];
    const int task = blockIdx.x * kWarps + warp;
    const int group = task / parts;
    const int groups = (count - 1) / kGroup + 1;
    const int begin = task % parts * packets_each;
    const int end = min(begin + packets_each, packets_to_meet(group, groups));
    if (group >= groups || begin >= end) return;  // the whole warp

    const float inverse_unit = 1 / mass_unit;
    float4 body[kBodiesPerLane];
    float3 sum[kBodiesPerLane] = {};
    for (int b = 0; b < kBodiesPerLane; ++b) {
        body[b] = load_body(bodies, group * kGroup + b * kWarpSize + lane, count, inverse_unit);
    }
    int packet = (group * kPackets + begin) % (groups * kPackets);
    float4 next = load_body(bodies, packet * kWarpSize + lane, count, inverse_unit);
    for (int met = begin; met < end; ++met) {
        __syncwarp();  // all lanes have read the packet before
        s_packet[lane] = s_packet[lane + kWarpSize] = mass_first(next);
        __syncwarp();
        const int j = packet * kWarpSize + lane;
        const float factor = mass_unit * exp2f(-next.w);  // of the same rounded logarithm
        packet = packet + 1 < groups * kPackets ? packet + 1 : 0;
        next = load_body(bodies, packet * kWarpSize + lane, count, inverse_unit);
        float3 traveller = {};  // in step k, the sum of body (lane + k) % 32 of the packet
#pragma unroll 2
        for (int k = 0; k < kWarpSize; ++k) {
            const float4 other = mass_last(s_packet[lane + k]);
            for (int b = 0; b < kBodiesPerLane; ++b) {
                add_pulls(body[b], other, softening_squared, sum[b], traveller);
            }
            traveller = of_next_lane(traveller);
        }
        // In its own group, a body meets each other one from both sides.
        if (met >= kPackets && j < count) add_to(accelerations, j, -factor, traveller);
    }
    for (int b = 0; b < kBodiesPerLane; ++b) {
        const int i = group * kGroup + b * kWarpSize + lane;
        const float factor = mass_unit * exp2f(-body[b].w);
        if (i >= count) return;
        add_to(accelerations, i, factor, sum[b]);
    }
}

// The power of 2 at the largest mass or just below it, so that parts of it are exact. Its inverse
// is a normal float, too. If no body has mass, it is 0, and so are the factors of all sums.
inline float choose_mass_unit(std::span<const Body> bodies) {
    float largest = 0;
    for (const Body& body : bodies) largest = std::max(largest, body.mass);
    return largest > 0 ? std::exp2(std::clamp(std::floor(std::log2(largest)), -126.0f, 126.0f)) : 0;
}

}  // namespace nbody
