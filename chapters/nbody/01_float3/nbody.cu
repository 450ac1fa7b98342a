// SPDX-License-Identifier: MIT
// N-body, stage 01: float3 lists.
// Idea: one thread per body; each thread walks the whole list and adds up the pull on its body.
// Compared with 00_cpu: the outer loop over the bodies has become the grid.
// Limit now: division and square root, and four 4-byte loads per pair: no single instruction loads
// the 12 bytes of a float3, and the mass is in a list of its own.
// Thesis 6.3.1, figures 6.6 and 6.7.
#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/nbody.hpp"

using course::cuda_check, course::DeviceBuffer;
using nbody::Body, nbody::Input, nbody::Output, nbody::Phase, nbody::PhaseTimer;

constexpr int kBlockSize = 256;

__global__ void compute_accelerations_kernel(const float3* __restrict__ positions,
                                             const float* __restrict__ masses,
                                             float3* __restrict__ accelerations, int count,
                                             float softening_squared) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const float3 position = positions[i];
    float3 acceleration = make_float3(0.0f, 0.0f, 0.0f);
    for (int j = 0; j < count; ++j) {
        const float3 other = positions[j];
        const float dx = other.x - position.x;
        const float dy = other.y - position.y;
        const float dz = other.z - position.z;
        const float distance_squared = dx * dx + dy * dy + dz * dz + softening_squared;
        const float cube = distance_squared * distance_squared * distance_squared;
        const float pull = masses[j] * (1.0f / sqrtf(cube));
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
__global__ void drift_kernel(float3* __restrict__ positions, const float3* __restrict__ velocities,
                             float duration, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    positions[i].x += velocities[i].x * duration;
    positions[i].y += velocities[i].y * duration;
    positions[i].z += velocities[i].z * duration;
}

void advance_bodies(const Input& input, Output& output, PhaseTimer& timer) {
    const int count = input.count();
    const float softening_squared = input.softening_squared();
    timer.begin(Phase::kSetup);
    std::vector<float3> h_positions(count);
    std::vector<float> h_masses(count);
    for (int i = 0; i < count; ++i) {
        const Body& body = input.bodies[i];
        h_positions[i] = make_float3(body.x, body.y, body.z);
        h_masses[i] = body.mass;
    }
    DeviceBuffer<float3> d_positions(count), d_velocities(count), d_accelerations(count);
    DeviceBuffer<float> d_masses(count);

    timer.begin(Phase::kCopyIn);
    cuda_check(cudaMemcpy(d_positions.data(), h_positions.data(), d_positions.bytes(),
                          cudaMemcpyHostToDevice));
    cuda_check(
        cudaMemcpy(d_masses.data(), h_masses.data(), d_masses.bytes(), cudaMemcpyHostToDevice));
    cuda_check(cudaMemcpy(d_velocities.data(), input.velocities.data(), d_velocities.bytes(),
                          cudaMemcpyHostToDevice));

    const auto copy_state_back = [&] {
        cuda_check(cudaMemcpy(h_positions.data(), d_positions.data(), d_positions.bytes(),
                              cudaMemcpyDeviceToHost));
        cuda_check(cudaMemcpy(output.velocities.data(), d_velocities.data(), d_velocities.bytes(),
                              cudaMemcpyDeviceToHost));
        for (int i = 0; i < count; ++i) {
            output.bodies[i] = {h_positions[i].x, h_positions[i].y, h_positions[i].z, h_masses[i]};
        }
    };

    timer.begin(Phase::kKernels);
    const int blocks = (count + kBlockSize - 1) / kBlockSize;
    const auto compute_accelerations = [&] {
        compute_accelerations_kernel<<<blocks, kBlockSize>>>(
            d_positions.data(), d_masses.data(), d_accelerations.data(), count, softening_squared);
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
        drift_kernel<<<blocks, kBlockSize>>>(d_positions.data(), d_velocities.data(), input.dt,
                                             count);
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
