// SPDX-License-Identifier: MIT
// N-body, stage 03: shared tiles.
// Idea: a block copies kBlockSize bodies into shared memory, one per thread, and all its threads
// use them from there. Each body is read from global memory once per block, not once per thread.
// Compared with 02_float4: the loop over tiles with its two barriers. Threads past the end of the
// list stay, because they must help to copy.
// Limit now: division and square root, no longer the loads.
// Thesis 6.3.1.2, figures 6.6 and 6.7.
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
    __shared__ float4 s_bodies[kBlockSize];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 no_body = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    const float4 body = i < count ? bodies[i] : no_body;
    float3 acceleration = make_float3(0.0f, 0.0f, 0.0f);
    for (int tile = 0; tile < count; tile += kBlockSize) {
        const int source = tile + threadIdx.x;
        // Past the end of the list, a body without mass fills the tile. It pulls nobody, so the
        // loop over the tile needs no test for the end.
        s_bodies[threadIdx.x] = source < count ? bodies[source] : no_body;
        __syncthreads();  // the whole tile must be there before a thread reads it
        for (int j = 0; j < kBlockSize; ++j) {
            const float4 other = s_bodies[j];
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
        __syncthreads();  // no thread may overwrite the tile while another still reads it
    }
    if (i < count) accelerations[i] = acceleration;
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
