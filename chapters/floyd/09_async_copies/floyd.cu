// SPDX-License-Identifier: MIT
// Floyd-Warshall, stage 09: asynchronous copies.
// Idea: the keys of a chunk travel from global to shared memory without passing through registers,
// while the threads work on the chunks before it. Four chunks of 16 pivots form a ring: one is
// read, and up to three are on the way.
// Compared with 08_deep_rounds: fetch_chunk, and one barrier per chunk instead of two.
// Limit now: the first two phases, which use few multiprocessors while the others wait.
// Not of the thesis.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/shared_memory.hpp"
#include "device/deep_panels.cuh"
#include "problem/floyd.hpp"

using course::cuda_check, course::DeviceBuffer;
using floyd::Distance, floyd::Input, floyd::Matrices, floyd::Output, floyd::Panel, floyd::Phase,
    floyd::PhaseTimer, floyd::Vertex;

constexpr int kPivots = 128;  // of a round
constexpr int kChunk = 16;  // pivots whose keys are copied at a time
constexpr int kRing = 4;  // chunks in shared memory
constexpr int kTile = 128;  // the side of a tile
constexpr int kSquares = 2;  // of a thread, per row and per column
constexpr int kCells = 4;  // of a square, per row and per column
constexpr int kApart = kTile / kSquares;  // from one square of a thread to the next
constexpr int kBlockSize = kApart * kApart / (kCells * kCells);

// A chunk of keys to the pivots and from them.
struct Chunk {
    int to[kChunk][kTile], from[kChunk][kTile];
};

// Starts to copy a chunk of the tile's keys, if there is one. Commits in any case, so that the
// number of groups is the same for all chunks.
__device__ __forceinline__ void fetch_chunk(const int* to_keys, const int* from_keys,
                                            std::int64_t stride, int chunk, Chunk* s_ring) {
    if (chunk < kPivots / kChunk) {
        Chunk& s_chunk = s_ring[chunk % kRing];
        for (int i = kCells * threadIdx.x; i < kChunk * kTile; i += kCells * kBlockSize) {
            const int k = i / kTile, place = i % kTile;
            const std::int64_t pivot = (chunk * kChunk + k) * stride;
            __pipeline_memcpy_async(&s_chunk.to[k][place], &to_keys[pivot + place], sizeof(int4));
            __pipeline_memcpy_async(&s_chunk.from[k][place], &from_keys[pivot + place],
                                    sizeof(int4));
        }
    }
    __pipeline_commit();
}

// Relaxes a thread's cells over the pivots of a chunk.
__device__ __forceinline__ void relax_chunk(const Chunk& s_chunk, int y, int x,
                                            int (&keys)[kSquares][kSquares][kCells][kCells]) {
#pragma unroll
    for (int k = 0; k < kChunk; ++k) {
        int to_keys[kSquares][kCells], from_keys[kSquares][kCells];
        for (int u = 0; u < kSquares; ++u) {
            floyd::load_four(&s_chunk.to[k][y + u * kApart], to_keys[u]);
            floyd::load_four(&s_chunk.from[k][x + u * kApart], from_keys[u]);
        }
        for (int i = 0; i < kSquares * kCells; ++i) {
            for (int j = 0; j < kSquares * kCells; ++j) {
                int& key = keys[i / kCells][j / kCells][i % kCells][j % kCells];
                key = min(to_keys[i / kCells][i % kCells] + from_keys[j / kCells][j % kCells], key);
            }
        }
    }
}

// Phase 3: all tiles. `from` are the rows of the pivots from BEFORE the round: a path over
// pivot k, its last pivot, goes on without one. The pivots' own columns cannot become less here.
__global__ void __launch_bounds__(kBlockSize, 2)
    relax_tiles_kernel(Matrices matrices, int round, Panel to, Panel from, const int* negative) {
    extern __shared__ Chunk s_ring[];
    if (negative[round + 1] != 0) return;
    const std::int64_t tile_row = static_cast<std::int64_t>(blockIdx.y) * kTile;
    const std::int64_t tile_column = static_cast<std::int64_t>(blockIdx.x) * kTile;
    for (int chunk = 0; chunk < kRing - 1; ++chunk) {
        fetch_chunk(to.keys + tile_row, from.keys + tile_column, matrices.stride, chunk, s_ring);
    }
    // A warp has 4 x 8 squares, so it reads and stores whole lines of the matrices.
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int y = kCells * (warp % 4 * 4 + lane / 8);
    const int x = kCells * (warp / 4 * 8 + lane % 8);
    int keys[kSquares][kSquares][kCells][kCells];
#pragma unroll
    for (int u = 0; u < kSquares; ++u) {
#pragma unroll
        for (int v = 0; v < kSquares; ++v) {
            floyd::load_keys<kPivots>(matrices, to, from, tile_row + y + u * kApart,
                                      tile_column + x + v * kApart, keys[u][v]);
        }
    }
    for (int chunk = 0; chunk < kPivots / kChunk; ++chunk) {
        __pipeline_wait_prior(kRing - 2);  // this thread's part of the chunk has come
        // So have all other parts. And all threads have left the chunk that is overwritten next.
        __syncthreads();
        fetch_chunk(to.keys + tile_row, from.keys + tile_column, matrices.stride, chunk + kRing - 1,
                    s_ring);
        relax_chunk(s_ring[chunk % kRing], y, x, keys);
    }
#pragma unroll
    for (int u = 0; u < kSquares; ++u) {
#pragma unroll
        for (int v = 0; v < kSquares; ++v) {
            floyd::store_keys<kPivots>(matrices, round, to, from, tile_row + y + u * kApart,
                                       tile_column + x + v * kApart, keys[u][v]);
        }
    }
}

void find_paths(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count;
    const int rounds = static_cast<int>((count + kPivots - 1) / kPivots);
    const std::int64_t stride = (count + kTile - 1) / kTile * kTile;
    timer.begin(Phase::kSetup);
    DeviceBuffer<Distance> d_distances(stride * stride);
    DeviceBuffer<Vertex> d_next_hops(stride * stride);
    DeviceBuffer<Distance> d_pivot_rows(kPivots * kPivots);
    DeviceBuffer<Distance> d_to_pivots(kPivots * stride), d_from_pivots(kPivots * stride);
    DeviceBuffer<int> d_keys(2 * kPivots * stride);
    DeviceBuffer<Distance> d_least(2 * stride);
    DeviceBuffer<int> d_negative(rounds + 1);
    cuda_check(cudaMemset(d_negative.data(), 0, d_negative.bytes()));
    floyd::allow_strips<kPivots>();
    constexpr std::size_t kRingBytes = kRing * sizeof(Chunk);
    course::allow_dynamic_shared(relax_tiles_kernel, kRingBytes);
    const Matrices matrices = {d_distances.data(), d_next_hops.data(), stride};
    const Panel to = {d_to_pivots.data(), d_keys.data(), d_least.data()};
    const Panel from = {d_from_pivots.data(), d_keys.data() + kPivots * stride,
                        d_least.data() + stride};

    timer.begin(Phase::kCopyIn);
    floyd::copy_in(input, matrices);

    timer.begin(Phase::kKernels);
    const int tiles = static_cast<int>(stride / kTile);  // along a side
    for (int round = 0; round < rounds; ++round) {
        floyd::relax_diagonal_kernel<kPivots>
            <<<1, kBlockSize>>>(matrices, round, d_pivot_rows.data(), d_negative.data());
        cuda_check(cudaGetLastError());
        floyd::launch_columns<kPivots>(matrices, round, d_pivot_rows.data(), to, from,
                                       d_negative.data(), nullptr);
        relax_tiles_kernel<<<dim3(tiles, tiles), kBlockSize, kRingBytes>>>(matrices, round, to,
                                                                           from, d_negative.data());
        cuda_check(cudaGetLastError());
    }

    timer.begin(Phase::kCopyOut);
    floyd::copy_out(matrices, d_negative.data() + rounds, count, output);
    timer.end();
    timer.note_grid(static_cast<std::int64_t>(tiles) * tiles, kBlockSize);
    timer.declare_work(floyd::work_of_rounds(input, kPivots));
}

int main(int argc, char** argv) { return floyd::run_stage(argc, argv, STAGE_NAME, find_paths); }
