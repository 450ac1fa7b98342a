// SPDX-License-Identifier: MIT
// The bodies of a rank, and the kernel of stage limit/04_log_masses for the pairs of its own bodies
// with others.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>

#include "04_soa_accelerations/leapfrog.cuh"
#include "limit/02_bodies_in_registers/mass_first.cuh"
#include "limit/03_third_law/groups.cuh"
#include "limit/04_log_masses/log_masses.cuh"

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

// One warp per group of the rank and part of the packets behind the rank's groups that it must
// meet. It is a kernel of its own: with the choice of the packets at run time, nvcc 13.0 gives out
// registers in another way. Two steps then have 58 instructions with two operands in one bank, not
// 53: 1.6 % more of their clocks.
__global__ void __launch_bounds__(kBlockSize, kBlocks)
    add_pulls_of_others_kernel(const float4* __restrict__ bodies, Lists3 accelerations, int count,
                               Share own, int parts, int packets_each, float softening_squared,
                               float mass_unit) {
    // Each packet twice, so that lane + step needs no modulo.
    __shared__ float4 s_packets[kWarps][2 * kWarpSize];
    const int lane = threadIdx.x % kWarpSize;
    // All lanes take lane 0's number, so the compiler knows that they stay together.
    const int warp = __shfl_sync(kAllLanes, threadIdx.x / kWarpSize, 0);
    float4* const s_packet = s_packets[warp];
    const int task = blockIdx.x * kWarps + warp;
    const int groups = (count - 1) / kGroup + 1;
    const int groups_end = own.first_group + own.groups;
    const int group = own.first_group + task / parts;
    const int own_packets = (groups_end - group) * kPackets;  // from this group on
    const int begin = own_packets + task % parts * packets_each;
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
        if (met + 1 < end) {
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
