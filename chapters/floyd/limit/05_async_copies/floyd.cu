// SPDX-License-Identifier: MIT
// Floyd-Warshall, stage limit/05: asynchronous copies.
// Idea: the keys of a chunk travel from global to shared memory without passing through registers,
// while the threads work on the chunks before it. Four chunks of 16 pivots form a ring: one is
// read, and up to three are on the way.
// Compared with limit/04_deep_rounds: fetch_chunk, and one barrier per chunk instead of two.
// Limit now: the first two phases, which use few multiprocessors while the others wait.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/deep_panels/deep_panels.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/shared_memory.hpp"
#include "limit/01_blocked/matrices.cuh"
#include "limit/03_tagged_keys/keys.cuh"
#include "limit/05_async_copies/ring.cuh"
#include "problem/floyd.hpp"

using course::cuda_check, course::DeviceBuffer;
using floyd::Distance, floyd::Input, floyd::kChunk, floyd::kRing, floyd::Matrices, floyd::Output,
    floyd::Panel, floyd::Phase, floyd::PhaseTimer, floyd::Vertex;

constexpr int kPivots = 128;  // of a round
constexpr int kTile = 128;  // the side of a tile
constexpr int kSquares = 2;  // of a thread, per row and per column
constexpr int kCells = 4;  // of a square, per row and per column
constexpr int kApart = kTile / kSquares;  // from one square of a thread to the next
constexpr int kBlockSize = kApart * kApart / (kCells * kCells);
using Chunk = floyd::Chunk<kTile>;

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
