// SPDX-License-Identifier: MIT
// The kernel of this stage, for tiles of any shape.
#pragma once

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include "limit/01_warp_tiles/tiles.cuh"

namespace matmul {

// Adds the products of one step, column by column. It goes down and up in turn, so that of the
// three operands of a multiplication one is the same as before, and need not be read from its bank
// again.
template <class S>
__device__ void add_products(const Operands<S>& operands, float (&sums)[S::kRows][S::kColumns]) {
#pragma unroll
    for (int j = 0; j < S::kColumns; ++j) {
#pragma unroll
        for (int step = 0; step < S::kRows; ++step) {
            const int i = j % 2 == 0 ? step : S::kRows - 1 - step;
            sums[i][j] += operands.rows[i] * operands.columns[j];
        }
    }
}

// C has n cells per row, B has padded_n. k is a multiple of the chunk's depth.
template <class S>
__global__ void __launch_bounds__(S::kBlockSize, S::kBlocks)
    multiply_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                    int m, int n, int padded_n, int k) {
    extern __shared__ float s_ring[];
    float *const s_a = s_ring, *const s_b = s_ring + S::kRing * S::kCellsOfA;
    const Tile tile = tile_of<S>(static_cast<int>(blockIdx.x), m, n);
    const Tile corner = corner_of_thread<S>();
    const float *const from_a = s_a + corner.row, *const from_b = s_b + corner.column;
    Bringer<S> bringer(a, b, m, padded_n, k, tile, s_a, s_b);
    float sums[S::kRows][S::kColumns] = {};
    for (int ahead = 0; ahead < S::kRing - 1; ++ahead) {
        if (ahead * S::kDepth < k) {
            bringer.begin(ahead);
            bringer.end(ahead);
        }
        __pipeline_commit();
    }
    int slot = 0, into = S::kRing - 1;  // of the chunk that is read, and of the one that comes
    Operands<S> operands[2];  // of this step, and of the next one
    __pipeline_wait_prior(S::kRing - 2);  // this thread's part of the first chunk has come
    __syncthreads();  // so have all other parts
    if (k > 0) read_operands<S>(from_a, from_b, 0, operands[0]);
    for (int chunk = 0; chunk < k; chunk += S::kDepth) {
        const bool more = chunk + (S::kRing - 1) * S::kDepth < k;
        if (more) bringer.begin(into);
        __pipeline_commit();
#pragma unroll
        for (int p = 0; p < S::kDepth; ++p) {
            if (p + 1 < S::kDepth) {
                read_operands<S>(from_a + slot * S::kCellsOfA, from_b + slot * S::kCellsOfB, p + 1,
                                 operands[(p + 1) % 2]);
            } else {
                if (more) bringer.end(into);
                // After the last chunk, its own first step is read again, for nothing.
                if (chunk + S::kDepth < k) slot = slot + 1 == S::kRing ? 0 : slot + 1;
                into = into + 1 == S::kRing ? 0 : into + 1;
                __pipeline_wait_prior(S::kRing - 2);  // this thread's part of the next chunk
                // So have all other parts. And all threads have read the last step of this chunk,
                // which is overwritten next.
                __syncthreads();
                read_operands<S>(from_a + slot * S::kCellsOfA, from_b + slot * S::kCellsOfB, 0,
                                 operands[0]);
            }
            add_products<S>(operands[p % 2], sums);
        }
    }
    store_sums<S>(sums, c, m, n, tile, corner);
}

}  // namespace matmul
