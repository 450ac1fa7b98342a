// SPDX-License-Identifier: MIT
// N-body, stage 05: rsqrtf.
// Idea: the special function unit computes 1 / sqrt(x), within 2 ulp, in one instruction. The
// correctly rounded division and square root took half of the 35 instructions per pair; 18 are
// left (sm_90).
// Compared with 04_soa_accelerations: the line that computes the pull (equations 6.5 and 6.6).
// Limit now: arithmetic of the pair itself; around rsqrtf, a test and two multiplications for
// denormal arguments. In the thesis, utilisation rose from 65 % to almost 90 %.
// Thesis 6.3.1.4, figures 6.5, 6.6 and 6.7.
#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "04_soa_accelerations/leapfrog.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/nbody.hpp"

using course::cuda_check, course::DeviceBuffer;
using nbody::Input, nbody::Lists3, nbody::Output, nbody::Phase, nbody::PhaseTimer;

constexpr int kBlockSize = 256;

__global__ void compute_accelerations_kernel(const float4* __restrict__ bodies,
                                             float* __restrict__ accelerations_x,
                                             float* __restrict__ accelerations_y,
                                             float* __restrict__ accelerations_z, int count,
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
            const float pull = other.w * rsqrtf(cube);
            acceleration.x += dx * pull;
            acceleration.y += dy * pull;
            acceleration.z += dz * pull;
        }
        __syncthreads();  // no thread may overwrite the tile while another still reads it
    }
    if (i >= count) return;
    accelerations_x[i] = acceleration.x;
    accelerations_y[i] = acceleration.y;
    accelerations_z[i] = acceleration.z;
}

void advance_bodies(const Input& input, Output& output, PhaseTimer& timer) {
    const int count = input.count();
    const float softening_squared = input.softening_squared();
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
    const auto compute_accelerations = [&] {
        compute_accelerations_kernel<<<blocks, kBlockSize>>>(d_bodies.data(), accelerations.x,
                                                             accelerations.y, accelerations.z,
                                                             count, softening_squared);
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
    timer.note_grid(blocks, kBlockSize);
    timer.declare_work(
        {.bytes = 28.0 * count * (input.steps + 1),  // per body, 16 read and 12 written
         .operations = nbody::kOperationsPerPair * count * count * (input.steps + 1)});
}

int main(int argc, char** argv) { return nbody::run_stage(argc, argv, STAGE_NAME, advance_bodies); }
