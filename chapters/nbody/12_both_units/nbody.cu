// SPDX-License-Identifier: MIT
// N-body, stage 12: both kinds of units.
// Idea: 11 needs two special functions per pair, which keep their units busy for 128 of 134
// clocks. The form of 10 needs one, but an instruction more. So six of a lane's bodies use
// logarithms, and two use roots.
// Compared with 11_log_masses: two forms of a pair side by side, and masses in shared memory.
// Limit now: reads of registers (157 of 165 clocks per step); special functions take 112.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "device/groups.cuh"
#include "device/leapfrog.cuh"
#include "device/log_masses.cuh"
#include "device/mass_first.cuh"
#include "device/packets_per_task.cuh"
#include "problem/nbody.hpp"

using course::cuda_check, course::DeviceBuffer;
using nbody::Input, nbody::Lists3, nbody::Output, nbody::Phase, nbody::PhaseTimer;

using nbody::kAllLanes, nbody::kBlocks, nbody::kBlockSize, nbody::kBodiesPerLane, nbody::kGroup;
using nbody::kPackets, nbody::kWarps, nbody::kWarpSize;
constexpr int kByLogarithm = 6;  // of a lane's bodies, the first ones

// The pulls of `own` and `other` on each other, times the mass of the body that is pulled. With
// `by_root`, own.w is a mass, else a logarithm.
__device__ __forceinline__ void add_pulls(bool by_root, float4 own, float4 other, float other_mass,
                                          float softening_squared, float3& own_sum,
                                          float3& other_sum) {
    const float dx = other.x - own.x;
    const float dy = other.y - own.y;
    const float dz = other.z - own.z;
    const float distance_squared = softening_squared + dx * dx + dy * dy + dz * dz;
    float pull = 0;
    if (by_root) {
        const float root = rsqrtf(distance_squared);
        pull = root * root * (root * (own.w * other_mass));
    } else {
        pull = exp2f(-1.5f * __log2f(distance_squared) + (other.w + own.w));
    }
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
    __shared__ float s_masses[kWarps][2 * kWarpSize];
    const int lane = threadIdx.x % kWarpSize;
    // All lanes take lane 0's number, so the compiler knows that they stay together.
    const int warp = __shfl_sync(kAllLanes, threadIdx.x / kWarpSize, 0);
    float4* const s_packet = s_packets[warp];
    float* const s_mass = s_masses[warp];
    const int task = blockIdx.x * kWarps + warp;
    const int group = task / parts;
    const int groups = (count - 1) / kGroup + 1;
    const int begin = task % parts * packets_each;
    const int end = min(begin + packets_each, nbody::packets_to_meet(group, groups));
    if (group >= groups || begin >= end) return;  // the whole warp

    const float inverse_unit = 1 / mass_unit;
    float4 body[kBodiesPerLane];
    float3 sum[kBodiesPerLane] = {};
    for (int b = 0; b < kBodiesPerLane; ++b) {
        body[b] =
            nbody::load_body(bodies, group * kGroup + b * kWarpSize + lane, count, inverse_unit);
        if (b >= kByLogarithm) body[b].w = exp2f(body[b].w);
    }
    int packet = (group * kPackets + begin) % (groups * kPackets);
    float4 next = nbody::load_body(bodies, packet * kWarpSize + lane, count, inverse_unit);
    for (int met = begin; met < end; ++met) {
        __syncwarp();  // all lanes have read the packet before
        s_packet[lane] = s_packet[lane + kWarpSize] = nbody::mass_first(next);
        s_mass[lane] = s_mass[lane + kWarpSize] = exp2f(next.w);
        __syncwarp();
        const int j = packet * kWarpSize + lane;
        const float factor = mass_unit * exp2f(-next.w);  // of the same rounded logarithm
        packet = packet + 1 < groups * kPackets ? packet + 1 : 0;
        next = nbody::load_body(bodies, packet * kWarpSize + lane, count, inverse_unit);
        float3 traveller = {};  // in step k, the sum of body (lane + k) % 32 of the packet
#pragma unroll 2
        for (int k = 0; k < kWarpSize; ++k) {
            const float4 other = nbody::mass_last(s_packet[lane + k]);
            const float other_mass = s_mass[lane + k];
            for (int b = 0; b < kBodiesPerLane; ++b) {
                add_pulls(b >= kByLogarithm, body[b], other, other_mass, softening_squared, sum[b],
                          traveller);
            }
            traveller = nbody::of_next_lane(traveller);
        }
        // In its own group, a body meets each other one from both sides.
        if (met >= kPackets && j < count) nbody::add_to(accelerations, j, -factor, traveller);
    }
    for (int b = 0; b < kBodiesPerLane; ++b) {
        const int i = group * kGroup + b * kWarpSize + lane;
        const float factor =
            b < kByLogarithm ? mass_unit * exp2f(-body[b].w) : mass_unit / body[b].w;
        if (i >= count) return;
        nbody::add_to(accelerations, i, factor, sum[b]);
    }
}

void advance_bodies(const Input& input, Output& output, PhaseTimer& timer) {
    const int count = input.count();
    const float softening_squared = input.softening_squared();
    const float mass_unit = nbody::choose_mass_unit(input.bodies);
    timer.begin(Phase::kSetup);
    DeviceBuffer<float4> d_bodies(count);
    std::vector<float> h_velocities = nbody::to_lists(input.velocities);
    std::vector<float> h_accelerations(3 * input.bodies.size());
    DeviceBuffer<float> d_velocities(h_velocities.size()), d_accelerations(h_accelerations.size());
    const Lists3 velocities = nbody::split(d_velocities, count);
    const Lists3 accelerations = nbody::split(d_accelerations, count);

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_bodies.data(), input.bodies.data(), d_bodies.bytes(), cudaMemcpyHostToDevice));
    cuda_check(cudaMemcpy(d_velocities.data(), h_velocities.data(), d_velocities.bytes(),
                          cudaMemcpyHostToDevice));

    const auto copy_state_back = [&] {
        cuda_check(cudaMemcpy(output.bodies.data(), d_bodies.data(), d_bodies.bytes(),
                              cudaMemcpyDeviceToHost));
        cuda_check(cudaMemcpy(h_velocities.data(), d_velocities.data(), d_velocities.bytes(),
                              cudaMemcpyDeviceToHost));
        nbody::from_lists(h_velocities, output.velocities);
    };

    timer.begin(Phase::kKernels);
    const int blocks = (count + kBlockSize - 1) / kBlockSize;
    const int groups = (count - 1) / kGroup + 1;
    const int packets_all = (groups / 2 + 1) * kPackets;  // of a group, at the most
    const int packets_each = nbody::packets_per_task(groups, packets_all, kBlocks * kWarps);
    const int parts = (packets_all - 1) / packets_each + 1;
    const int force_blocks = (groups * parts - 1) / kWarps + 1;
    const auto compute_accelerations = [&] {
        cuda_check(cudaMemset(d_accelerations.data(), 0, d_accelerations.bytes()));
        compute_accelerations_kernel<<<force_blocks, kBlockSize>>>(d_bodies.data(), accelerations,
                                                                   count, parts, packets_each,
                                                                   softening_squared, mass_unit);
        cuda_check(cudaGetLastError());
    };
    const auto kick = [&](float duration) {
        nbody::kick_kernel<<<blocks, kBlockSize>>>(velocities.x, velocities.y, velocities.z,
                                                   accelerations.x, accelerations.y,
                                                   accelerations.z, duration, count);
        cuda_check(cudaGetLastError());
    };
    compute_accelerations();
    for (std::int64_t step = 1; step <= input.steps; ++step) {
        kick(0.5f * input.dt);
        nbody::drift_kernel<<<blocks, kBlockSize>>>(d_bodies.data(), velocities.x, velocities.y,
                                                    velocities.z, input.dt, count);
        cuda_check(cudaGetLastError());
        compute_accelerations();
        kick(0.5f * input.dt);
        if (output.is_due(step)) {
            copy_state_back();
            output.write_step(step);
        }
    }

    timer.begin(Phase::kCopyOut);
    copy_state_back();
    cuda_check(cudaMemcpy(h_accelerations.data(), d_accelerations.data(), d_accelerations.bytes(),
                          cudaMemcpyDeviceToHost));
    nbody::from_lists(h_accelerations, output.accelerations);
    timer.end();
    timer.note_grid(force_blocks, kBlockSize);
    timer.declare_work(
        {.bytes = 28.0 * count * (input.steps + 1),  // per body, 16 read and 12 written
         .operations = nbody::kOperationsPerMutualPair / 2 * count * count * (input.steps + 1)});
}

int main(int argc, char** argv) {
    return nbody::run_stage(argc, argv, STAGE_NAME, advance_bodies, nbody::error_of_log_pull);
}
