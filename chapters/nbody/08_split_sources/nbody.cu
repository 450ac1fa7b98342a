// SPDX-License-Identifier: MIT
// N-body, stage 08: several threads per body.
// Idea: 65 536 bodies give 256 blocks, but the device holds 1056 of them. So the bodies that
// pull are cut into slices. A block adds the pulls of one slice, and the slices' sums meet by
// atomicAdd().
// Compared with 07_softening_first: slices, one per row of the grid.
// Limit now: a load from shared memory and a loop step per pair, beside 13 instructions of
// arithmetic.
// Not of the thesis.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/resident_blocks.hpp"
#include "problem/nbody.hpp"

using course::cuda_check, course::DeviceBuffer;
using nbody::Input, nbody::Output, nbody::Phase, nbody::PhaseTimer;

constexpr int kBlockSize = 256;
constexpr int kWaves = 8;  // 2: 3 % slower on an H200

// Adds the pulls of one slice of bodies to accelerations that the kernel finds as zeros.
__global__ void compute_accelerations_kernel(const float4* __restrict__ bodies,
                                             float* __restrict__ accelerations_x,
                                             float* __restrict__ accelerations_y,
                                             float* __restrict__ accelerations_z, int count,
                                             int slice, float softening_squared) {
    __shared__ float4 s_bodies[kBlockSize];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 no_body = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    const float4 body = i < count ? bodies[i] : no_body;
    float3 acceleration = make_float3(0.0f, 0.0f, 0.0f);
    const int end = min((blockIdx.y + 1) * slice, count);
    for (int tile = blockIdx.y * slice; tile < end; tile += kBlockSize) {
        const int source = tile + threadIdx.x;
        // Past the end of the slice, a body without mass fills the tile. It pulls nobody, so the
        // loop over the tile needs no test for the end.
        s_bodies[threadIdx.x] = source < end ? bodies[source] : no_body;
        __syncthreads();  // the whole tile must be there before a thread reads it
        for (int j = 0; j < kBlockSize; ++j) {
            const float4 other = s_bodies[j];
            const float dx = other.x - body.x;
            const float dy = other.y - body.y;
            const float dz = other.z - body.z;
            const float distance_squared = softening_squared + dx * dx + dy * dy + dz * dz;
            const float cube = distance_squared * distance_squared * distance_squared;
            const float pull = other.w * rsqrtf(cube);
            acceleration.x += dx * pull;
            acceleration.y += dy * pull;
            acceleration.z += dz * pull;
        }
        __syncthreads();  // no thread may overwrite the tile while another still reads it
    }
    if (i >= count) return;
    atomicAdd(&accelerations_x[i], acceleration.x);
    atomicAdd(&accelerations_y[i], acceleration.y);
    atomicAdd(&accelerations_z[i], acceleration.z);
}

// v += a * duration: half a step before the drift, and half a step after it (equations 6.8, 6.7).
__global__ void kick_kernel(float* __restrict__ velocities_x, float* __restrict__ velocities_y,
                            float* __restrict__ velocities_z,
                            const float* __restrict__ accelerations_x,
                            const float* __restrict__ accelerations_y,
                            const float* __restrict__ accelerations_z, float duration, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    velocities_x[i] += accelerations_x[i] * duration;
    velocities_y[i] += accelerations_y[i] * duration;
    velocities_z[i] += accelerations_z[i] * duration;
}

// x += v * duration (equation 6.9).
__global__ void drift_kernel(float4* __restrict__ bodies, const float* __restrict__ velocities_x,
                             const float* __restrict__ velocities_y,
                             const float* __restrict__ velocities_z, float duration, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float4 body = bodies[i];
    body.x += velocities_x[i] * duration;
    body.y += velocities_y[i] * duration;
    body.z += velocities_z[i] * duration;
    bodies[i] = body;
}

// Three lists of `count` numbers each, one behind the other in one buffer.
struct Lists3 {
    float *x, *y, *z;
};
Lists3 split(DeviceBuffer<float>& buffer, int count) {
    float* const x = buffer.data();
    return {x, x + count, x + 2 * static_cast<std::int64_t>(count)};
}

// The bodies of a slice, whole tiles and at least two of them: `blocks` blocks per slice shall fill
// the device kWaves times, so that blocks which end late leave little of it empty.
int choose_slice(int count, int blocks) {
    const int at_once = course::resident_blocks(compute_accelerations_kernel, kBlockSize);
    const int most = (count - 1) / (2 * kBlockSize) + 1;
    const int slices = std::clamp((kWaves * at_once - 1) / blocks + 1, 1, most);
    const int tiles = (count - 1) / kBlockSize + 1;
    return ((tiles - 1) / slices + 1) * kBlockSize;
}

void advance_bodies(const Input& input, Output& output, PhaseTimer& timer) {
    const int count = input.count();
    const float softening_squared = input.softening_squared();
    timer.begin(Phase::kSetup);
    DeviceBuffer<float4> d_bodies(count);
    std::vector<float> h_velocities = nbody::to_lists(input.velocities);
    std::vector<float> h_accelerations(3 * input.bodies.size());
    DeviceBuffer<float> d_velocities(h_velocities.size()), d_accelerations(h_accelerations.size());
    const Lists3 velocities = split(d_velocities, count);
    const Lists3 accelerations = split(d_accelerations, count);

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
    const int slice = choose_slice(count, blocks);
    const dim3 grid(blocks, (count - 1) / slice + 1);
    const auto compute_accelerations = [&] {
        cuda_check(cudaMemset(d_accelerations.data(), 0, d_accelerations.bytes()));
        compute_accelerations_kernel<<<grid, kBlockSize>>>(d_bodies.data(), accelerations.x,
                                                           accelerations.y, accelerations.z, count,
                                                           slice, softening_squared);
        cuda_check(cudaGetLastError());
    };
    const auto kick = [&](float duration) {
        kick_kernel<<<blocks, kBlockSize>>>(velocities.x, velocities.y, velocities.z,
                                            accelerations.x, accelerations.y, accelerations.z,
                                            duration, count);
        cuda_check(cudaGetLastError());
    };
    compute_accelerations();
    for (std::int64_t step = 1; step <= input.steps; ++step) {
        kick(0.5f * input.dt);
        drift_kernel<<<blocks, kBlockSize>>>(d_bodies.data(), velocities.x, velocities.y,
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
    timer.note_grid(std::int64_t{grid.x} * grid.y, kBlockSize);
    timer.declare_work(
        {.bytes = 28.0 * count * (input.steps + 1),  // per body, 16 read and 12 written
         .operations = nbody::kOperationsPerPair * count * count * (input.steps + 1)});
}

int main(int argc, char** argv) { return nbody::run_stage(argc, argv, STAGE_NAME, advance_bodies); }
