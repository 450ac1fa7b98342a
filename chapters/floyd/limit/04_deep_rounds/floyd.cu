// SPDX-License-Identifier: MIT
// Floyd-Warshall, stage limit/04: 128 steps per round.
// Idea: a pass over the matrix makes 128 steps instead of 32, so the cells are read a quarter as
// often, and there are a quarter as many launches. The keys of 128 pivots do not fit beside those
// of another block: they come in chunks of 32. A tile has twice the side, and a thread 64 cells:
// per pivot, four accesses of 16 bytes serve 64 relaxations instead of two for 16.
// Compared with limit/03_tagged_keys: a loop over chunks; a thread has 2 x 2 squares of 4 x 4
// cells. The panels of 128 pivots, with their keys, come from blocks/deep_panels.
// Limit now: the two barriers of a chunk, between which its keys arrive.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/deep_panels/deep_panels.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "limit/01_blocked/matrices.cuh"
#include "limit/02_register_tiles/four_words.cuh"
#include "limit/03_tagged_keys/keys.cuh"
#include "problem/floyd.hpp"

using course::cuda_check, course::DeviceBuffer;
using floyd::Distance, floyd::Input, floyd::Matrices, floyd::Output, floyd::Panel, floyd::Phase,
    floyd::PhaseTimer, floyd::Vertex;

constexpr int kPivots = 128;  // of a round
constexpr int kChunk = 32;  // pivots whose keys are in shared memory at a time
constexpr int kTile = 128;  // the side of a tile
constexpr int kSquares = 2;  // of a thread, per row and per column
constexpr int kCells = 4;  // of a square, per row and per column
constexpr int kApart = kTile / kSquares;  // from one square of a thread to the next
constexpr int kBlockSize = kApart * kApart / (kCells * kCells);

// Phase 3: all tiles. `from` are the rows of the pivots from BEFORE the round: a path over
// pivot k, its last pivot, goes on without one. The pivots' own columns cannot become less here.
__global__ void __launch_bounds__(kBlockSize, 2)
    relax_tiles_kernel(Matrices matrices, int round, Panel to, Panel from, const int* negative) {
    __shared__ __align__(16) int s_to[kChunk][kTile], s_from[kChunk][kTile];
    if (negative[round + 1] != 0) return;
    const std::int64_t tile_row = static_cast<std::int64_t>(blockIdx.y) * kTile;
    const std::int64_t tile_column = static_cast<std::int64_t>(blockIdx.x) * kTile;
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
    for (int chunk = 0; chunk < kPivots; chunk += kChunk) {
        __syncthreads();  // no thread reads the chunk before any more
        for (int i = kCells * threadIdx.x; i < kChunk * kTile; i += kCells * kBlockSize) {
            const int k = i / kTile, place = i % kTile;
            const std::int64_t pivot = (chunk + k) * matrices.stride;
            floyd::copy_four(&to.keys[pivot + tile_row + place], &s_to[k][place]);
            floyd::copy_four(&from.keys[pivot + tile_column + place], &s_from[k][place]);
        }
        __syncthreads();  // all threads read s_to and s_from
#pragma unroll 8
        for (int k = 0; k < kChunk; ++k) {
            int to_keys[kSquares][kCells], from_keys[kSquares][kCells];
            for (int u = 0; u < kSquares; ++u) {
                floyd::load_four(&s_to[k][y + u * kApart], to_keys[u]);
                floyd::load_four(&s_from[k][x + u * kApart], from_keys[u]);
            }
            for (int i = 0; i < kSquares * kCells; ++i) {
                for (int j = 0; j < kSquares * kCells; ++j) {
                    int& key = keys[i / kCells][j / kCells][i % kCells][j % kCells];
                    key = min(to_keys[i / kCells][i % kCells] + from_keys[j / kCells][j % kCells],
                              key);
                }
            }
        }
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
        relax_tiles_kernel<<<dim3(tiles, tiles), kBlockSize>>>(matrices, round, to, from,
                                                               d_negative.data());
        cuda_check(cudaGetLastError());
    }

    timer.begin(Phase::kCopyOut);
    floyd::copy_out(matrices, d_negative.data() + rounds, count, output);
    timer.end();
    timer.note_grid(static_cast<std::int64_t>(tiles) * tiles, kBlockSize);
    timer.declare_work(floyd::work_of_rounds(input, kPivots));
}

int main(int argc, char** argv) { return floyd::run_stage(argc, argv, STAGE_NAME, find_paths); }
