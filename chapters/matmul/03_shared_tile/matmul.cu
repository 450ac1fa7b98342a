// SPDX-License-Identifier: MIT
// Matmul, stage 03: a tile in shared memory.
// Idea: a block computes a tile of 32 x 32 cells. It copies 32 columns of its rows of A and 32 rows
// of its columns of B into shared memory, and each thread uses each cell of them 32 times.
// Compared with 02_coalesced: the loop over chunks with its two barriers. Threads past the edges
// stay, because they must help to copy.
// Limit now: shared memory. Each product still needs two loads from there.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>

#include "problem/on_device.cuh"

using matmul::Input, matmul::Output, matmul::PhaseTimer;

constexpr int kTile = 32;  // the side of a tile, and the length of a chunk

__global__ void multiply_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                float* __restrict__ c, int m, int n, int k) {
    __shared__ float s_a[kTile][kTile], s_b[kTile][kTile];
    const int row = blockIdx.y * kTile + threadIdx.y;
    const int column = blockIdx.x * kTile + threadIdx.x;
    float sum = 0.0f;
    for (int chunk = 0; chunk < k; chunk += kTile) {
        // Past the edges of A and B stand zeros, so the loop over a chunk needs no test.
        const int from = chunk + threadIdx.x, to = chunk + threadIdx.y;
        s_a[threadIdx.y][threadIdx.x] =
            row < m && from < k ? a[static_cast<std::int64_t>(row) * k + from] : 0.0f;
        s_b[threadIdx.y][threadIdx.x] =
            to < k && column < n ? b[static_cast<std::int64_t>(to) * n + column] : 0.0f;
        __syncthreads();  // the whole chunk must be there before a thread reads it
        for (int p = 0; p < kTile; ++p) {
            sum += s_a[threadIdx.y][p] * s_b[p][threadIdx.x];
        }
        __syncthreads();  // no thread may overwrite the chunk while another still reads it
    }
    if (row < m && column < n) c[static_cast<std::int64_t>(row) * n + column] = sum;
}

void multiply(const Input& input, Output& output, PhaseTimer& timer) {
    const dim3 blocks((input.n + kTile - 1) / kTile, (input.m + kTile - 1) / kTile);
    const auto launch = [&](const float* a, const float* b, float* c) {
        multiply_kernel<<<blocks, dim3(kTile, kTile)>>>(a, b, c, input.m, input.n, input.k);
    };
    matmul::multiply_on_device(input, output, timer, blocks, kTile * kTile, launch);
}

int main(int argc, char** argv) { return matmul::run_stage(argc, argv, STAGE_NAME, multiply); }
