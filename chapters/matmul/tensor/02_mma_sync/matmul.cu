// SPDX-License-Identifier: MIT
// Matmul, stage tensor/02: fragments by hand.
// Idea: ldmatrix and mma.sync are the instructions behind wmma. Their fragments are documented, so
// that sums go from registers to C, and B is transposed while it is loaded. A swizzle in place of
// padding lets all eight rows of a matrix come from different banks, and a warp has 64 x 32 cells.
// Compared with tensor/01_wmma: larger tiles, groups of eight numbers, and no detour of the sums.
// Limit now: all warps wait for each chunk.
// Not of the thesis.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "problem/on_device.cuh"
#include "problem/padding.cuh"
#include "tensor/02_mma_sync/swizzled_tiles.cuh"

using matmul::Chunk, matmul::Input, matmul::kBlockSize, matmul::kDepth, matmul::kGroup,
    matmul::kTile, matmul::Number, matmul::Output, matmul::PhaseTimer, matmul::Sums;

// Each thread brings two groups of A and two of B. k and n are multiples of a group; past the edges
// stand zeros.
__device__ void bring_chunk(const Number* a, const Number* b, int m, int n, int k, int tile_row,
                            int tile_column, int chunk, Chunk& s_chunk) {
    constexpr int kAcrossA = kDepth / kGroup, kAcrossB = kTile / kGroup;
    const uint4 zeros = {};
    for (int i = static_cast<int>(threadIdx.x); i < kTile * kAcrossA; i += kBlockSize) {
        const int row = i / kAcrossA, group = i % kAcrossA;
        const bool there = tile_row + row < m && chunk + group * kGroup < k;
        *reinterpret_cast<uint4*>(place_in_a(s_chunk, row, group)) =
            there ? *reinterpret_cast<const uint4*>(
                        a + static_cast<std::int64_t>(tile_row + row) * k + chunk + group * kGroup)
                  : zeros;
    }
    for (int i = static_cast<int>(threadIdx.x); i < kDepth * kAcrossB; i += kBlockSize) {
        const int row = i / kAcrossB, group = i % kAcrossB;
        const bool there = chunk + row < k && tile_column + group * kGroup < n;
        *reinterpret_cast<uint4*>(place_in_b(s_chunk, row, group)) =
            there ? *reinterpret_cast<const uint4*>(b + static_cast<std::int64_t>(chunk + row) * n +
                                                    tile_column + group * kGroup)
                  : zeros;
    }
}

// C has n cells per row, B has padded_n.
__global__ void __launch_bounds__(kBlockSize, 2)
    multiply_kernel(const Number* __restrict__ a, const Number* __restrict__ b,
                    Number* __restrict__ c, int m, int n, int padded_n, int k) {
    __shared__ Chunk s_chunk;
    const int tile_row = blockIdx.y * kTile, tile_column = blockIdx.x * kTile;
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int warp_row = warp / matmul::kWarpsAcross * matmul::kWarpRows;
    const int warp_column = warp % matmul::kWarpsAcross * matmul::kWarpColumns;
    Sums sums[matmul::kFragmentsDown][matmul::kFragmentsAcross] = {};
    for (int chunk = 0; chunk < k; chunk += kDepth) {
        bring_chunk(a, b, m, padded_n, k, tile_row, tile_column, chunk, s_chunk);
        __syncthreads();  // the whole chunk must be there before a warp reads it
        matmul::multiply_chunk(s_chunk, warp_row, warp_column, sums);
        __syncthreads();  // no thread may overwrite the chunk while a warp still reads it
    }
    matmul::store_sums(sums, c, m, n, tile_row + warp_row, tile_column + warp_column);
}

void multiply(const Input& input, Output& output, PhaseTimer& timer) {
    timer.begin(matmul::Phase::kSetup);
    matmul::Padding<Number> padding(input.m, input.n, input.k, kGroup, kGroup);
    const dim3 blocks((input.n + kTile - 1) / kTile, (input.m + kTile - 1) / kTile);
    const auto launch = [&](const Number* a, const Number* b, Number* c) {
        multiply_kernel<<<blocks, kBlockSize>>>(padding.pad_a(a), padding.pad_b(b), c, input.m,
                                                input.n, padding.n(), padding.k());
    };
    matmul::multiply_on_device<Number>(input, output, timer, blocks, kBlockSize, launch);
}

int main(int argc, char** argv) {
    return matmul::run_stage(argc, argv, STAGE_NAME, multiply, matmul::Format::kBfloat16);
}
