// SPDX-License-Identifier: MIT
// N-body, stage limit/05: small systems.
// Idea: up to 4096 bodies make few groups of 256, and one warp works on a group and a packet for
// some microseconds. So a block takes four bodies only, and its threads share all bodies that pull.
// It meets each pair twice, but needs no sums of zero, no atomics and one launch. Larger systems
// have the kernel of limit/04.
// Compared with limit/04_log_masses: a second kernel, and the choice by the number of bodies.
// Limit now: for some thousand bodies, the launch; then what limits stage limit/04.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>

#include "04_soa_accelerations/leapfrog.cuh"
#include "common/cuda/cuda_check.hpp"
#include "limit/02_bodies_in_registers/body_system.cuh"
#include "limit/03_third_law/groups.cuh"
#include "limit/03_third_law/packets_per_task.cuh"
#include "limit/04_log_masses/log_masses.cuh"
#include "problem/nbody.hpp"

using course::cuda_check;
using nbody::BodySystem, nbody::Lists3;
using nbody::Input, nbody::Output, nbody::Phase, nbody::PhaseTimer;

using nbody::kAllLanes, nbody::kBlocks, nbody::kBlockSize, nbody::kGroup;
using nbody::kPackets, nbody::kWarps, nbody::kWarpSize;
constexpr int kFew = 4096;  // bodies: with more of them, limit/04's kernel is faster on an H200
constexpr int kFewOwn = 4, kFewThreads = 256;

// For few bodies. A block has kFewOwn of them, and its threads share those that pull.
__global__ void __launch_bounds__(kFewThreads)
    accelerate_few_kernel(const float4* __restrict__ bodies, Lists3 accelerations, int count,
                          float softening_squared) {
    __shared__ float3 s_sums[kFewThreads / kWarpSize][kFewOwn];
    const int first = blockIdx.x * kFewOwn, thread = threadIdx.x;
    float4 body[kFewOwn];
    float3 sum[kFewOwn] = {};
    for (int b = 0; b < kFewOwn; ++b) body[b] = bodies[min(first + b, count - 1)];
#pragma unroll 4
    for (int j = thread; j < count; j += kFewThreads) {
        const float4 other = bodies[j];
        for (int b = 0; b < kFewOwn; ++b) {
            const float dx = other.x - body[b].x;
            const float dy = other.y - body[b].y;
            const float dz = other.z - body[b].z;
            const float root = rsqrtf(softening_squared + dx * dx + dy * dy + dz * dz);
            const float pull = other.w * (root * root * root);
            sum[b].x += dx * pull;
            sum[b].y += dy * pull;
            sum[b].z += dz * pull;
        }
    }
    for (int b = 0; b < kFewOwn; ++b) {
        for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
            sum[b].x += __shfl_xor_sync(kAllLanes, sum[b].x, distance);
            sum[b].y += __shfl_xor_sync(kAllLanes, sum[b].y, distance);
            sum[b].z += __shfl_xor_sync(kAllLanes, sum[b].z, distance);
        }
        if (thread % kWarpSize == 0) s_sums[thread / kWarpSize][b] = sum[b];
    }
    __syncthreads();  // all warps must have written their sums
    if (thread >= kFewOwn || first + thread >= count) return;
    float3 all = {};
    for (int warp = 0; warp < kFewThreads / kWarpSize; ++warp) {
        all.x += s_sums[warp][thread].x;
        all.y += s_sums[warp][thread].y;
        all.z += s_sums[warp][thread].z;
    }
    accelerations.x[first + thread] = all.x;
    accelerations.y[first + thread] = all.y;
    accelerations.z[first + thread] = all.z;
}

void advance_bodies(const Input& input, Output& output, PhaseTimer& timer) {
    const int count = input.count();
    const float softening_squared = input.softening_squared();
    const float mass_unit = nbody::choose_mass_unit(input.bodies);
    timer.begin(Phase::kSetup);
    BodySystem system(input);
    const Lists3 accelerations = system.accelerations();

    timer.begin(Phase::kCopyIn);
    system.copy_in();

    const int groups = (count - 1) / kGroup + 1;
    const int packets_all = (groups / 2 + 1) * kPackets;  // of a group, at the most
    const int packets_each = nbody::packets_per_task(groups, packets_all, kBlocks * kWarps);
    const int parts = (packets_all - 1) / packets_each + 1;
    const bool few = count <= kFew;
    const int force_blocks = few ? (count - 1) / kFewOwn + 1 : (groups * parts - 1) / kWarps + 1;
    timer.begin(Phase::kKernels);
    system.advance(output, [&] {
        if (few) {
            accelerate_few_kernel<<<force_blocks, kFewThreads>>>(system.bodies(), accelerations,
                                                                 count, softening_squared);
            cuda_check(cudaGetLastError());
            return;
        }
        system.clear_accelerations();
        nbody::compute_accelerations_kernel<<<force_blocks, kBlockSize>>>(
            system.bodies(), accelerations, count, parts, packets_each, softening_squared,
            mass_unit);
        cuda_check(cudaGetLastError());
    });

    timer.begin(Phase::kCopyOut);
    system.copy_out(output);
    timer.end();
    timer.note_grid(force_blocks, few ? kFewThreads : kBlockSize);
    const double per_pair = few ? nbody::kOperationsPerPair : nbody::kOperationsPerMutualPair / 2;
    timer.declare_work(
        {.bytes = 28.0 * count * (input.steps + 1),  // per body, 16 read and 12 written
         .operations = per_pair * count * count * (input.steps + 1)});
}

int main(int argc, char** argv) {
    return nbody::run_stage(argc, argv, STAGE_NAME, advance_bodies, nbody::error_of_log_pull);
}
