// SPDX-License-Identifier: MIT
// The kernel of stage 11_log_masses for a rank: for all pairs of some bodies, or for the pairs of
// its own bodies with others.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>

#include "device/groups.cuh"
#include "device/log_masses.cuh"
#include "device/mass_first.cuh"

namespace nbody {

// The bodies of a rank: whole groups. All ranks have lists of the same length with `part` places
// for each rank. The last ranks may have fewer bodies than that, or none.
struct Share {
    int part;
    int begin;  // its first body
    int count;
    int first_group, groups;
};
inline Share share_of(int count, int rank, int ranks) {
    const int groups = (count - 1) / kGroup + 1;
    const int each = (groups - 1) / ranks + 1;
    const int first = std::min(rank * each, groups);
    const int part = each * kGroup, begin = part * rank;
    return {part, begin, std::clamp(count - begin, 0, part), first, std::min(each, groups - first)};
}

// Which packets a launch meets: those behind the rank's groups, or all. (Recorded counters name the
// kernel by these numbers.)
enum class Packets { kOthers = 1, kAll = 2 };

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

// One warp per group of the rank and part of the packets that it must meet. Which packets is a
// parameter of the template: at run time, it changes how nvcc 13.0 gives out registers. Two steps
// then have 58 instructions with two operands in one bank, not 53: 1.6 % more of their clocks.
template <Packets packets>
static __global__ void __launch_bounds__(kBlockSize, kBlocks)
    compute_accelerations_kernel(const float4* __restrict__ bodies, Lists3 accelerations, int count,
                                 Share own, int parts, int packets_each, float softening_squared,
                                 float mass_unit) {
    // Each packet twice, so that lane + step needs no modulo.
    __shared__ float4 s_packets[kWarps][2 * kWarpSize];
    const int lane = threadIdx.x % kWarpSize;
    // All lanes take lane 0's number, so the compiler knows that they stay together.
    const int warp = __shfl_sync(kAllLanes, threadIdx.x / kWarpSize, 0);
    float4* const s_packet = s_packets[warp];
    const int task = blockIdx.x * kWarps + warp;
    constexpr bool kAll = packets == Packets::kAll;  // then `own` is all groups
    const int groups = (count - 1) / kGroup + 1;
    const int first_group = kAll ? 0 : own.first_group;
    const int groups_end = kAll ? groups : first_group + own.groups;
    const int group = first_group + task / parts;
    const int own_packets = (groups_end - group) * kPackets;  // from this group on
    const int first = kAll ? 0 : own_packets;
    const int begin = first + task % parts * packets_each;
    const int end = min(begin + packets_each, packets_to_meet(group, groups));
    if (group >= groups_end || begin >= end) return;  // the whole warp

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
        // The packet behind the last one may be another rank's, and on its way.
        if (kAll || met + 1 < end) {
            next = load_body(bodies, packet * kWarpSize + lane, count, inverse_unit);
        }
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

}  // namespace nbody
