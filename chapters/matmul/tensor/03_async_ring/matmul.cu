// SPDX-License-Identifier: MIT
// Matmul, stage tensor/03: a ring of asynchronous copies.
// Idea: as in stage 07, chunks are on their way while the warps multiply. bfloat16 needs no
// transposition on the way, so A is copied, too: 16 bytes at a time, into its swizzled place.
// Compared with tensor/02_mma_sync: copy_chunk, and one barrier per chunk instead of two.
// Limit now: the instructions that bring fragments into registers, and the registers themselves.
// Not of the thesis.
#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "common/cuda/shared_memory.hpp"
#include "problem/on_device.cuh"
#include "problem/padding.cuh"
#include "tensor/02_mma_sync/swizzled_tiles.cuh"

using matmul::Chunk, matmul::Input, matmul::kBlockSize, matmul::kDepth, matmul::kGroup,
    matmul::kTile, matmul::Number, matmul::Output, matmul::PhaseTimer, matmul::Sums;

constexpr int kRing = 4;  // chunks in shared memory

// Starts to copy a chunk, if there is one: two groups of A and two of B per thread. k and n are
// multiples of a group; past the edges come zeros. Commits in any case, so that each chunk has a
// group of copies of its own.
__device__ void copy_chunk(const Number* a, const Number* b, int m, int n, int k, int tile_row,
                           int tile_column, int chunk, Chunk* s_ring) {
    constexpr int kAcrossA = kDepth / kGroup, kAcrossB = kTile / kGroup;
    if (chunk < k) {
        Chunk& s_chunk = s_ring[chunk / kDepth % kRing];
        for (int i = static_cast<int>(threadIdx.x); i < kTile * kAcrossA; i += kBlockSize) {
            const int row = i / kAcrossA, group = i % kAcrossA;
            const bool there = tile_row + row < m && chunk + group * kGroup < k;
            const std::int64_t from =
                static_cast<std::int64_t>(tile_row + row) * k + chunk + group * kGroup;
            __pipeline_memcpy_async(place_in_a(s_chunk, row, group), there ? a + from : a, 16,
                                    there ? 0 : 16);
        }
        for (int i = static_cast<int>(threadIdx.x); i < kDepth * kAcrossB; i += kBlockSize) {
            const int row = i / kAcrossB, group = i % kAcrossB;
            const bool there = chunk + row < k && tile_column + group * kGroup < n;
            const std::int64_t from =
                static_cast<std::int64_t>(chunk + row) * n + tile_column + group * kGroup;
            __pipeline_memcpy_async(place_in_b(s_chunk, row, group), there ? b + from : b, 16,
                                    there ? 0 : 16);
        }
    }
    __pipeline_commit();
}

// C has n cells per row, B has padded_n.
__global__ void __launch_bounds__(kBlockSize, 2)
    multiply_kernel(const Number* __restrict__ a, const Number* __restrict__ b,
                    Number* __restrict__ c, int m, int n, int padded_n, int k) {
    extern __shared__ Chunk s_ring[];
    const int tile_row = blockIdx.y * kTile, tile_column = blockIdx.x * kTile;
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int warp_row = warp / matmul::kWarpsAcross * matmul::kWarpRows;
    const int warp_column = warp % matmul::kWarpsAcross * matmul::kWarpColumns;
    Sums sums[matmul::kFragmentsDown][matmul::kFragmentsAcross] = {};
    for (int ahead = 0; ahead < kRing - 1; ++ahead) {
        copy_chunk(a, b, m, padded_n, k, tile_row, tile_column, ahead * kDepth, s_ring);
    }
    for (int chunk = 0; chunk < k; chunk += kDepth) {
        __pipeline_wait_prior(kRing - 2);  // this thread's part of the chunk has come
        // So have all other parts. And all warps have left the chunk that is overwritten next.
        __syncthreads();
        copy_chunk(a, b, m, padded_n, k, tile_row, tile_column, chunk + (kRing - 1) * kDepth,
                   s_ring);
        matmul::multiply_chunk(s_ring[chunk / kDepth % kRing], warp_row, warp_column, sums);
    }
    matmul::store_sums(sums, c, m, n, tile_row + warp_row, tile_column + warp_column);
}

void multiply(const Input& input, Output& output, PhaseTimer& timer) {
    timer.begin(matmul::Phase::kSetup);
    matmul::Padding<Number> padding(input.m, input.n, input.k, kGroup, kGroup);
    course::allow_dynamic_shared(multiply_kernel, kRing * sizeof(Chunk));
    const dim3 blocks((input.n + kTile - 1) / kTile, (input.m + kTile - 1) / kTile);
    const auto launch = [&](const Number* a, const Number* b, Number* c) {
        multiply_kernel<<<blocks, kBlockSize, kRing * sizeof(Chunk)>>>(
            padding.pad_a(a), padding.pad_b(b), c, input.m, input.n, padding.n(), padding.k());
    };
    matmul::multiply_on_device<Number>(input, output, timer, blocks, kBlockSize, launch);
}

int main(int argc, char** argv) {
    return matmul::run_stage(argc, argv, STAGE_NAME, multiply, matmul::Format::kBfloat16);
}
