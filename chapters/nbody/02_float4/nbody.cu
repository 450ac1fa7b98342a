// SPDX-License-Identifier: MIT
// N-body, stage 02: position and mass in one float4.
// Idea: one instruction loads 16 aligned bytes, so a body costs one load instead of four.
// Compared with 01_float3: one list of bodies instead of positions and masses. The host needs no
// packing any more, because the input already has this layout.
// Limit now: division and square root; every thread still reads every body through the cache.
// Thesis 6.3.1.1, figures 6.6 and 6.7.
#include <cuda_runtime.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/nbody.hpp"

using course::cuda_check, course::DeviceBuffer;
using nbody::Input, nbody::Output, nbody::Phase, nbody::PhaseTimer;

constexpr int kBlockSize = 256;

__global__ void compute_accelerations_kernel(const float4* __restrict__ bodies,
                                             float3* __restrict__ accelerations, int count,
                                             float softening_squared) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const float4 body = bodies[i];
    float3 acceleration = make_float3(0.0f, 0.0f, 0.0f);
    for (int j = 0; j < count; ++j) {
        const float4 other = bodies[j];
        const float dx = other.x - body.x;
        const float dy = other.y - body.y;
        const float dz = other.z - body.z;
        const float distance_squared = dx * dx + dy * dy + dz * dz + softening_squared;
        const float cube = distance_squared * distance_squared * distance_squared;
        const float pull = other.w * (1.0f / sqrtf(cube));
        acceleration.x += dx * pull;
        acceleration.y += dy * pull;
        acceleration.z += dz * pull;
    }
    accelerations[i] = acceleration;
}

// v += a * duration: half a step before the drift, and half a step after it (equations 6.8, 6.7).
__global__ void kick_kernel(float3* __restrict__ velocities,
                            const float3* __restrict__ accelerations, float duration, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    velocities[i].x += accelerations[i].x * duration;
    velocities[i].y += accelerations[i].y * duration;
    velocities[i].z += accelerations[i].z * duration;
}

// x += v * duration (equation 6.9).
__global__ void drift_kernel(float4* __restrict__ bodies, const float3* __restrict__ velocities,
                             float duration, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float4 body = bodies[i];
    body.x += velocities[i].x * duration;
    body.y += velocities[i].y * duration;
    body.z += velocities[i].z * duration;
    bodies[i] = body;
}

void advance_bodies(const Input& input, Output& output, PhaseTimer& timer) {
    const int count = input.count();
    const float softening_squared = input.softening_squared();
    timer.begin(Phase::kSetup);
    DeviceBuffer<float4> d_bodies(count);
    DeviceBuffer<float3> d_velocities(count), d_accelerations(count);

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_bodies.data(), input.bodies.data(), d_bodies.bytes(), cudaMemcpyHostToDevice));
    cuda_check(cudaMemcpy(d_velocities.data(), input.velocities.data(), d_velocities.bytes(),
                          cudaMemcpyHostToDevice));

    const auto copy_state_back = [&] {
        cuda_check(cudaMemcpy(output.bodies.data(), d_bodies.data(), d_bodies.bytes(),
                              cudaMemcpyDeviceToHost));
        cuda_check(cudaMemcpy(output.velocities.data(), d_velocities.data(), d_velocities.bytes(),
                              cudaMemcpyDeviceToHost));
    };

    timer.begin(Phase::kKernels);
    const int blocks = (count + kBlockSize - 1) / kBlockSize;
    const auto compute_accelerations = [&] {
        compute_accelerations_kernel<<<blocks, kBlockSize>>>(
            d_bodies.data(), d_accelerations.data(), count, softening_squared);
        cuda_check(cudaGetLastError());
    };
    const auto kick = [&](float duration) {
        kick_kernel<<<blocks, kBlockSize>>>(d_velocities.data(), d_accelerations.data(), duration,
                                            count);
        cuda_check(cudaGetLastError());
    };
    compute_accelerations();
    for (std::int64_t step = 1; step <= input.steps; ++step) {
        kick(0.5f * input.dt);
        drift_kernel<<<blocks, kBlockSize>>>(d_bodies.data(), d_velocities.data(), input.dt, count);
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
    cuda_check(cudaMemcpy(output.accelerations.data(), d_accelerations.data(),
                          d_accelerations.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid(blocks, kBlockSize);
    timer.declare_work(
        {.bytes = 28.0 * count * (input.steps + 1),  // per body, 16 read and 12 written
         .operations = nbody::kOperationsPerPair * count * count * (input.steps + 1)});
}

int main(int argc, char** argv) { return nbody::run_stage(argc, argv, STAGE_NAME, advance_bodies); }
