// SPDX-License-Identifier: MIT
// Matmul, stage 07: a ring of asynchronous copies.
// Idea: chunks travel from global to shared memory without passing through registers, while the
// threads work on the chunks before them. Four chunks form a ring: one is read, and up to three are
// on the way.
// Compared with 06_vector_loads: fetch_chunk in place of load_four, and one barrier per chunk
// instead of two.
// Limit now: the instructions that are not products, and the registers' banks.
// Not of the thesis.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "problem/on_device.cuh"

using matmul::Input, matmul::Output, matmul::PhaseTimer;

constexpr int kTile = 128;  // the side of a tile
constexpr int kDepth = 8;  // the length of a chunk
constexpr int kCells = 8;  // of a thread, per row and per column: two groups of 4
constexpr int kThreads = kTile / kCells;  // per side of a tile
constexpr int kBlockSize = kThreads * kThreads;  // times 4: the cells of a chunk of A
constexpr int kApart = kTile / 2;  // from one group to the other
// After each row of s_a. Without it, the lanes that store steps 0 and 4 of a row meet in one bank.
constexpr int kPadding = 4;

constexpr int kRing = 4;  // chunks in shared memory

struct alignas(16) Chunk {
    float a[kDepth][kTile + kPadding], b[kDepth][kTile];
};

// Starts to copy a chunk, if there is one, with zeros past the edges. Each cell of A is a copy of
// its own: a copy cannot transpose. Commits in any case, so that the number of groups is the same
// for all chunks.
__device__ void fetch_chunk(const float* a, const float* b, int m, int n, int k, int chunk,
                            Chunk* s_ring) {
    if (chunk < k) {
        Chunk& s_chunk = s_ring[chunk / kDepth % kRing];
        for (int i = threadIdx.x; i < kTile * kDepth; i += kBlockSize) {
            const std::int64_t row = blockIdx.y * kTile + i / kDepth;
            const int from = chunk + i % kDepth;
            const bool there = row < m && from < k;
            __pipeline_memcpy_async(&s_chunk.a[i % kDepth][i / kDepth],
                                    there ? &a[row * k + from] : a, 4, there ? 0 : 4);
        }
        const int cells = n % 4 == 0 ? 4 : 1;  // of a copy of B, whose rows must be aligned to it
        for (int i = cells * threadIdx.x; i < kTile * kDepth; i += cells * kBlockSize) {
            const std::int64_t to = chunk + i / kTile;
            const int column = blockIdx.x * kTile + i % kTile;
            const bool there = to < k && column < n;
            __pipeline_memcpy_async(&s_chunk.b[i / kTile][i % kTile],
                                    there ? &b[to * n + column] : b, 4 * cells,
                                    there ? 0 : 4 * cells);
        }
    }
    __pipeline_commit();
}

// One load of 16 bytes from shared memory.
__device__ void read_four(const float* s_cells, float* cells) {
    const float4 four = *reinterpret_cast<const float4*>(s_cells);
    cells[0] = four.x;
    cells[1] = four.y;
    cells[2] = four.z;
    cells[3] = four.w;
}

__global__ void multiply_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                float* __restrict__ c, int m, int n, int k) {
    __shared__ Chunk s_ring[kRing];
    const int tile_row = blockIdx.y * kTile, tile_column = blockIdx.x * kTile;
    const int y = static_cast<int>(threadIdx.x) / kThreads * 4;
    const int x = static_cast<int>(threadIdx.x) % kThreads * 4;
    float sums[kCells][kCells] = {};
    for (int ahead = 0; ahead < kRing - 1; ++ahead) {
        fetch_chunk(a, b, m, n, k, ahead * kDepth, s_ring);
    }
    for (int chunk = 0; chunk < k; chunk += kDepth) {
        __pipeline_wait_prior(kRing - 2);  // this thread's part of the chunk has come
        // So have all other parts. And all threads have left the chunk that is overwritten next.
        __syncthreads();
        fetch_chunk(a, b, m, n, k, chunk + (kRing - 1) * kDepth, s_ring);
        const Chunk& s_chunk = s_ring[chunk / kDepth % kRing];
        for (int p = 0; p < kDepth; ++p) {
            float rows[kCells], columns[kCells];
            for (int half = 0; half < 2; ++half) {
                read_four(&s_chunk.a[p][y + half * kApart], rows + 4 * half);
                read_four(&s_chunk.b[p][x + half * kApart], columns + 4 * half);
            }
            for (int i = 0; i < kCells; ++i) {
                for (int j = 0; j < kCells; ++j) sums[i][j] += rows[i] * columns[j];
            }
        }
    }
    for (int i = 0; i < kCells; ++i) {
        for (int j = 0; j < kCells; ++j) {
            const int row = tile_row + y + i % 4 + i / 4 * kApart;
            const int column = tile_column + x + j % 4 + j / 4 * kApart;
            if (row < m && column < n) c[static_cast<std::int64_t>(row) * n + column] = sums[i][j];
        }
    }
}

void multiply(const Input& input, Output& output, PhaseTimer& timer) {
    const dim3 blocks((input.n + kTile - 1) / kTile, (input.m + kTile - 1) / kTile);
    const auto launch = [&](const float* a, const float* b, float* c) {
        multiply_kernel<<<blocks, kBlockSize>>>(a, b, c, input.m, input.n, input.k);
    };
    matmul::multiply_on_device(input, output, timer, blocks, kBlockSize, launch);
}

int main(int argc, char** argv) { return matmul::run_stage(argc, argv, STAGE_NAME, multiply); }
