// SPDX-License-Identifier: MIT
// N-body, stage limit/02: several bodies per thread.
// Idea: a thread keeps four bodies in registers. One load of another body and one loop step then
// serve four pairs. Coordinates that are subtracted must lie in different banks of registers, or
// little is gained. A fourth of the threads leaves most of the device empty: with 65 536 bodies,
// 128 blocks. So the bodies that pull are cut into slices. A block adds the pulls of one slice, and
// the slices' sums meet by atomicAdd().
// Compared with limit/01_softening_first: four bodies per thread, slices, one per row of the grid,
// blocks of 128 threads, an unrolled loop, and the mass first in shared memory. The copies and the
// steps of leapfrog have moved to body_system.cuh, because no later stage changes them.
// Limit now: instruction issue, 13.3 instructions per pair, of which 13 are arithmetic.
// Not of the thesis.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/resident_blocks.hpp"
#include "limit/02_bodies_in_registers/body_system.cuh"
#include "limit/02_bodies_in_registers/mass_first.cuh"
#include "problem/nbody.hpp"

using course::cuda_check;
using nbody::BodySystem, nbody::Lists3;
using nbody::Input, nbody::Output, nbody::Phase, nbody::PhaseTimer;

constexpr int kBlockSize = 128;
constexpr int kWaves = 8;  // 2: 3 % slower on an H200
constexpr int kBodiesPerThread = 4;

// Adds the pulls of one slice of bodies to accelerations that the kernel finds as zeros.
// With the second launch bound, one block, nvcc takes 80 registers instead of 55: 3 % faster.
__global__ void __launch_bounds__(kBlockSize, 1)
    compute_accelerations_kernel(const float4* __restrict__ bodies,
                                 float* __restrict__ accelerations_x,
                                 float* __restrict__ accelerations_y,
                                 float* __restrict__ accelerations_z, int count, int slice,
                                 float softening_squared) {
    __shared__ float4 s_bodies[kBlockSize];
    // The thread's bodies lie kBlockSize apart, so that neighbouring lanes load neighbouring
    // bodies.
    const int first = blockIdx.x * kBlockSize * kBodiesPerThread + threadIdx.x;
    const float4 no_body = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    float4 body[kBodiesPerThread];
    float3 acceleration[kBodiesPerThread] = {};
    for (int b = 0; b < kBodiesPerThread; ++b) {
        const int i = first + b * kBlockSize;
        body[b] = i < count ? bodies[i] : no_body;
    }
    const int end = min((blockIdx.y + 1) * slice, count);
    for (int tile = blockIdx.y * slice; tile < end; tile += kBlockSize) {
        const int source = tile + threadIdx.x;
        // Past the end of the slice, a body without mass fills the tile. It pulls nobody, so the
        // loop over the tile needs no test for the end.
        s_bodies[threadIdx.x] = nbody::mass_first(source < end ? bodies[source] : no_body);
        __syncthreads();  // the whole tile must be there before a thread reads it
#pragma unroll 16
        for (int j = 0; j < kBlockSize; ++j) {
            const float4 other = nbody::mass_last(s_bodies[j]);
            for (int b = 0; b < kBodiesPerThread; ++b) {
                const float dx = other.x - body[b].x;
                const float dy = other.y - body[b].y;
                const float dz = other.z - body[b].z;
                const float distance_squared = softening_squared + dx * dx + dy * dy + dz * dz;
                const float cube = distance_squared * distance_squared * distance_squared;
                const float pull = other.w * rsqrtf(cube);
                acceleration[b].x += dx * pull;
                acceleration[b].y += dy * pull;
                acceleration[b].z += dz * pull;
            }
        }
        __syncthreads();  // no thread may overwrite the tile while another still reads it
    }
    for (int b = 0; b < kBodiesPerThread; ++b) {
        const int i = first + b * kBlockSize;
        if (i >= count) return;
        atomicAdd(&accelerations_x[i], acceleration[b].x);
        atomicAdd(&accelerations_y[i], acceleration[b].y);
        atomicAdd(&accelerations_z[i], acceleration[b].z);
    }
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
    BodySystem system(input);
    const Lists3 accelerations = system.accelerations();

    timer.begin(Phase::kCopyIn);
    system.copy_in();

    timer.begin(Phase::kKernels);
    const int blocks = (count - 1) / (kBlockSize * kBodiesPerThread) + 1;
    const int slice = choose_slice(count, blocks);
    const dim3 grid(blocks, (count - 1) / slice + 1);
    system.advance(output, [&] {
        system.clear_accelerations();
        compute_accelerations_kernel<<<grid, kBlockSize>>>(system.bodies(), accelerations.x,
                                                           accelerations.y, accelerations.z, count,
                                                           slice, softening_squared);
        cuda_check(cudaGetLastError());
    });

    timer.begin(Phase::kCopyOut);
    system.copy_out(output);
    timer.end();
    timer.note_grid(std::int64_t{grid.x} * grid.y, kBlockSize);
    timer.declare_work(
        {.bytes = 28.0 * count * (input.steps + 1),  // per body, 16 read and 12 written
         .operations = nbody::kOperationsPerPair * count * count * (input.steps + 1)});
}

int main(int argc, char** argv) { return nbody::run_stage(argc, argv, STAGE_NAME, advance_bodies); }
