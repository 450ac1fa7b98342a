// SPDX-License-Identifier: MIT
// Matmul, stage 07: a ring of asynchronous copies.
// Idea: chunks travel from global to shared memory while the threads work on the chunks before
// them. Four chunks form a ring: one is read, and up to three are on the way. B is copied without
// passing through registers. A, which is transposed on the way, is loaded before the products and
// stored after them.
// Compared with 06_vector_loads: copy_chunk and Carrier, and one barrier per chunk instead of two.
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

// Four neighbouring cells of a row, of which `count` are there; the others are 0. With `whole`, the
// rows begin at multiples of 16 bytes, and one load takes all four.
__device__ float4 load_four(const float* row, int count, bool whole) {
    if (whole && count >= 4) return *reinterpret_cast<const float4*>(row);
    return make_float4(count > 0 ? row[0] : 0.0f, count > 1 ? row[1] : 0.0f,
                       count > 2 ? row[2] : 0.0f, count > 3 ? row[3] : 0.0f);
}

// A thread's cells of a chunk of A: they travel through registers, because they are transposed.
class Carrier {
  public:
    __device__ Carrier(const float* a, int m, int k)
        : row_(4 * threadIdx.x / kDepth), from_(4 * threadIdx.x % kDepth), k_(k) {
        const std::int64_t row = blockIdx.y * kTile + row_;
        count_ = row < m ? k - from_ : 0;
        a_ = a + row * k + from_;
    }
    __device__ void load(int chunk) { four_ = load_four(a_ + chunk, count_ - chunk, k_ % 4 == 0); }
    __device__ void store(Chunk& s_chunk) const {
        s_chunk.a[from_ + 0][row_] = four_.x;
        s_chunk.a[from_ + 1][row_] = four_.y;
        s_chunk.a[from_ + 2][row_] = four_.z;
        s_chunk.a[from_ + 3][row_] = four_.w;
    }

  private:
    const float* a_;
    float4 four_;
    int row_, from_, k_, count_;
};

// Starts to copy a chunk of B, with zeros past its edges.
__device__ void copy_chunk(const float* b, int n, int k, int chunk, Chunk& s_chunk) {
    const int cells = n % 4 == 0 ? 4 : 1;  // of a copy, because rows must be aligned to it
    for (int i = cells * threadIdx.x; i < kTile * kDepth; i += cells * kBlockSize) {
        const std::int64_t to = chunk + i / kTile;
        const int column = blockIdx.x * kTile + i % kTile;
        const bool there = to < k && column < n;
        __pipeline_memcpy_async(&s_chunk.b[i / kTile][i % kTile], there ? &b[to * n + column] : b,
                                4 * cells, there ? 0 : 4 * cells);
    }
}

// One load of 16 bytes from shared memory.
__device__ void read_four(const float* s_cells, float* cells) {
    const float4 four = *reinterpret_cast<const float4*>(s_cells);
    cells[0] = four.x;
    cells[1] = four.y;
    cells[2] = four.z;
    cells[3] = four.w;
}

// Two blocks per multiprocessor: a thread may have 128 registers.
__global__ void __launch_bounds__(kBlockSize, 2)
    multiply_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                    int m, int n, int k) {
    __shared__ Chunk s_ring[kRing];
    const int tile_row = blockIdx.y * kTile, tile_column = blockIdx.x * kTile;
    const int y = static_cast<int>(threadIdx.x) / kThreads * 4;
    const int x = static_cast<int>(threadIdx.x) % kThreads * 4;
    float sums[kCells][kCells] = {};
    Carrier carrier(a, m, k);
    for (int ahead = 0; ahead < kRing - 1; ++ahead) {
        if (ahead * kDepth < k) {
            copy_chunk(b, n, k, ahead * kDepth, s_ring[ahead]);
            carrier.load(ahead * kDepth);
            carrier.store(s_ring[ahead]);
        }
        __pipeline_commit();
    }
    for (int chunk = 0; chunk < k; chunk += kDepth) {
        __pipeline_wait_prior(kRing - 2);  // this thread's part of the chunk has come
        // So have all other parts. And all threads have left the chunk that is overwritten next.
        __syncthreads();
        const int next = chunk + (kRing - 1) * kDepth;
        Chunk& s_next = s_ring[next / kDepth % kRing];
        if (next < k) {
            copy_chunk(b, n, k, next, s_next);
            carrier.load(next);
        }
        __pipeline_commit();  // in any case: so each chunk has a group of its own
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
        if (next < k) carrier.store(s_next);  // by now the cells have come
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
