// SPDX-License-Identifier: MIT
// N-body, stage limit/03: each pair once.
// Idea: two bodies pull each other with the same force (Newton's third law), so one root serves
// two sums. A lane keeps eight bodies, a warp 256: a group. The warp meets packets of 32 other
// bodies, each in 32 steps. A packet's sums travel from lane to lane, so no two lanes add to one
// sum.
// Compared with limit/02_bodies_in_registers: warps that work alone, half of the pairs, sums that
// travel.
// Limit now: instruction issue, 8.9 instructions per ordered pair, and the registers they read.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>

#include "04_soa_accelerations/leapfrog.cuh"
#include "common/cuda/cuda_check.hpp"
#include "limit/02_bodies_in_registers/body_system.cuh"
#include "limit/02_bodies_in_registers/mass_first.cuh"
#include "limit/03_third_law/groups.cuh"
#include "limit/03_third_law/packets_per_task.cuh"
#include "problem/nbody.hpp"

using course::cuda_check;
using nbody::BodySystem, nbody::Lists3;
using nbody::Input, nbody::Output, nbody::Phase, nbody::PhaseTimer;

using nbody::kAllLanes, nbody::kBlocks, nbody::kBlockSize, nbody::kBodiesPerLane, nbody::kGroup;
using nbody::kPackets, nbody::kWarps, nbody::kWarpSize;

// Past the end of the list there are bodies without mass, which pull nobody.
__device__ __forceinline__ float4 load_body(const float4* __restrict__ bodies, int i, int count) {
    return i < count ? bodies[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

// The pulls of `own` and `other` on each other, without the mass of the body that is pulled.
__device__ __forceinline__ void add_pulls(float4 own, float4 other, float softening_squared,
                                          float3& own_sum, float3& other_sum) {
    const float dx = other.x - own.x;
    const float dy = other.y - own.y;
    const float dz = other.z - own.z;
    const float root = rsqrtf(softening_squared + dx * dx + dy * dy + dz * dz);
    const float cube = root * root * root;
    const float pull = other.w * cube, pull_back = own.w * cube;
    own_sum.x += dx * pull;
    own_sum.y += dy * pull;
    own_sum.z += dz * pull;
    other_sum.x += dx * pull_back;
    other_sum.y += dy * pull_back;
    other_sum.z += dz * pull_back;
}

// One warp per group and part of the packets that it must meet.
__global__ void __launch_bounds__(kBlockSize, kBlocks)
    compute_accelerations_kernel(const float4* __restrict__ bodies, Lists3 accelerations, int count,
                                 int parts, int packets_each, float softening_squared) {
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
    const int end = min(begin + packets_each, nbody::packets_to_meet(group, groups));
    if (group >= groups || begin >= end) return;  // the whole warp

    float4 body[kBodiesPerLane];
    float3 sum[kBodiesPerLane] = {};
    for (int b = 0; b < kBodiesPerLane; ++b) {
        body[b] = load_body(bodies, group * kGroup + b * kWarpSize + lane, count);
    }
    int packet = (group * kPackets + begin) % (groups * kPackets);
    float4 next = load_body(bodies, packet * kWarpSize + lane, count);
    for (int met = begin; met < end; ++met) {
        __syncwarp();  // all lanes have read the packet before
        s_packet[lane] = s_packet[lane + kWarpSize] = nbody::mass_first(next);
        __syncwarp();
        const int j = packet * kWarpSize + lane;
        packet = packet + 1 < groups * kPackets ? packet + 1 : 0;
        next = load_body(bodies, packet * kWarpSize + lane, count);  // arrives in the meantime
        float3 traveller = {};  // in step k, the sum of body (lane + k) % 32 of the packet
#pragma unroll 2
        for (int k = 0; k < kWarpSize; ++k) {
            const float4 other = nbody::mass_last(s_packet[lane + k]);
            for (int b = 0; b < kBodiesPerLane; ++b) {
                add_pulls(body[b], other, softening_squared, sum[b], traveller);
            }
            traveller = nbody::of_next_lane(traveller);
        }
        // In its own group, a body meets each other one from both sides.
        if (met >= kPackets && j < count) nbody::add_to(accelerations, j, -1, traveller);
    }
    for (int b = 0; b < kBodiesPerLane; ++b) {
        const int i = group * kGroup + b * kWarpSize + lane;
        if (i >= count) return;
        nbody::add_to(accelerations, i, 1, sum[b]);
    }
}

void advance_bodies(const Input& input, Output& output, PhaseTimer& timer) {
    const int count = input.count();
    const float softening_squared = input.softening_squared();
    timer.begin(Phase::kSetup);
    BodySystem system(input);
    const Lists3 accelerations = system.accelerations();

    timer.begin(Phase::kCopyIn);
    system.copy_in();

    timer.begin(Phase::kKernels);
    const int groups = (count - 1) / kGroup + 1;
    const int packets_all = (groups / 2 + 1) * kPackets;  // of a group, at the most
    const int packets_each = nbody::packets_per_task(groups, packets_all, kBlocks * kWarps);
    const int parts = (packets_all - 1) / packets_each + 1;
    const int force_blocks = (groups * parts - 1) / kWarps + 1;
    system.advance(output, [&] {
        system.clear_accelerations();
        compute_accelerations_kernel<<<force_blocks, kBlockSize>>>(
            system.bodies(), accelerations, count, parts, packets_each, softening_squared);
        cuda_check(cudaGetLastError());
    });

    timer.begin(Phase::kCopyOut);
    system.copy_out(output);
    timer.end();
    timer.note_grid(force_blocks, kBlockSize);
    timer.declare_work(
        {.bytes = 28.0 * count * (input.steps + 1),  // per body, 16 read and 12 written
         .operations = nbody::kOperationsPerMutualPair / 2 * count * count * (input.steps + 1)});
}

int main(int argc, char** argv) { return nbody::run_stage(argc, argv, STAGE_NAME, advance_bodies); }
