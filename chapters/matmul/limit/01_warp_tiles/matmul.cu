// SPDX-License-Identifier: MIT
// Matmul, stage limit/01: a tile per warp.
// Idea: 8 x 16 cells per thread, and the lanes of a warp form a rectangle of 8 x 4, so that a warp
// has a tile of its own with 64 x 64 cells. Each word from shared memory serves more products.
// Tiles that run at one time are neighbours in C.
// Compared with 07_async_ring: larger squares, other places of the lanes, and padded operands.
// Limit now: operands that arrive too late, and the order of the multiplications.
// Not of the thesis.
#include <cuda_runtime.h>

#include "limit/01_warp_tiles/launch.cuh"

using matmul::Input, matmul::kGroup, matmul::Output, matmul::PhaseTimer, matmul::Tile;

// 128 x 256 cells in chunks of 16 steps, 8 x 16 cells per thread, 8 rows of lanes, a ring of 3.
using Large = matmul::Shape<128, 256, 16, 8, 16, 8, 3, 1>;

// C has n cells per row, B has padded_n. k is a multiple of the chunk's depth.
template <class S>
__global__ void __launch_bounds__(S::kBlockSize, S::kBlocks)
    multiply_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                    int m, int n, int padded_n, int k) {
    extern __shared__ float s_ring[];
    float *const s_a = s_ring, *const s_b = s_ring + S::kRing * S::kCellsOfA;
    const Tile tile = matmul::tile_of<S>(static_cast<int>(blockIdx.x), m, n);
    const Tile corner = matmul::corner_of_thread<S>();
    matmul::Bringer<S> bringer(a, b, m, padded_n, k, tile, s_a, s_b);
    float sums[S::kRows][S::kColumns] = {};
    for (int ahead = 0; ahead < S::kRing - 1; ++ahead) {
        if (ahead * S::kDepth < k) {
            bringer.begin(ahead);
            bringer.end(ahead);
        }
        __pipeline_commit();
    }
    int slot = 0, into = S::kRing - 1;  // of the chunk that is read, and of the one that comes
    for (int chunk = 0; chunk < k; chunk += S::kDepth) {
        __pipeline_wait_prior(S::kRing - 2);  // this thread's part of the chunk has come
        // So have all other parts. And all threads have left the chunk that is overwritten next.
        __syncthreads();
        const bool more = chunk + (S::kRing - 1) * S::kDepth < k;
        if (more) bringer.begin(into);
        __pipeline_commit();
        const float* const from_a = s_a + slot * S::kCellsOfA + corner.row;
        const float* const from_b = s_b + slot * S::kCellsOfB + corner.column;
#pragma unroll
        for (int p = 0; p < S::kDepth; ++p) {
            matmul::Operands<S> operands;
            matmul::read_operands<S>(from_a, from_b, p, operands);
#pragma unroll
            for (int i = 0; i < S::kRows; ++i) {
#pragma unroll
                for (int j = 0; j < S::kColumns; ++j) {
                    sums[i][j] += operands.rows[i] * operands.columns[j];
                }
            }
        }
        if (more) bringer.end(into);
        slot = slot + 1 == S::kRing ? 0 : slot + 1;
        into = into + 1 == S::kRing ? 0 : into + 1;
    }
    matmul::store_sums<S>(sums, c, m, n, tile, corner);
}

void multiply(const Input& input, Output& output, PhaseTimer& timer) {
    matmul::multiply_tiles<Large>(input, output, timer, multiply_kernel<Large>);
}

int main(int argc, char** argv) { return matmul::run_stage(argc, argv, STAGE_NAME, multiply); }
