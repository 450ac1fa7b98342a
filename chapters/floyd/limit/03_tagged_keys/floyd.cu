// SPDX-License-Identifier: MIT
// Floyd-Warshall, stage limit/03: distance and pivot in one word.
// Idea: a key holds a distance and, in its low bits, the pivot that the path leads over last. The
// minimum of two keys keeps both. So a relaxation is one instruction, add and minimum (before
// compute capability 9.0, two). To make room, distances in keys are relative to the least of their
// row and column. What is still too large is cut, and searched again if it wins.
// Compared with limit/02_register_tiles: make_keys_kernel; relax_tiles_kernel works on keys.
// keys.cuh has their limits, and turns cells into keys and back.
// Limit now: shared memory. Two accesses of 16 bytes serve only 16 relaxations.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "limit/01_blocked/matrices.cuh"
#include "limit/01_blocked/panels.cuh"
#include "limit/02_register_tiles/four_words.cuh"
#include "limit/03_tagged_keys/keys.cuh"
#include "problem/floyd.hpp"

using course::cuda_check, course::DeviceBuffer;
using floyd::Distance, floyd::Input, floyd::kInfinity, floyd::kMaxDistance, floyd::kPivots,
    floyd::Matrices, floyd::Output, floyd::Panel, floyd::Phase, floyd::PhaseTimer, floyd::Vertex;

constexpr int kTile = 64;  // the side of a tile
constexpr int kCells = 4;  // of a thread, per row and per column
constexpr int kBlockSize = kTile * kTile / (kCells * kCells);

// The keys of both panels. Only those of the first have tags, so the sum of two keys has one.
__global__ void make_keys_kernel(Panel to, Panel from, std::int64_t stride, int round,
                                 const int* negative) {
    if (negative[round + 1] != 0) return;
    const Panel panel = blockIdx.y == 0 ? to : from;
    const std::int64_t vertex = static_cast<std::int64_t>(blockIdx.x) * kTile + threadIdx.x;
    Distance least = kInfinity;
    for (int k = 0; k < kPivots; ++k) least = min(least, panel.distances[k * stride + vertex]);
    if (least > kMaxDistance) least = 0;
    panel.least[vertex] = least;
    for (int k = 0; k < kPivots; ++k) {
        const int key = floyd::key_of<kPivots>(panel.distances[k * stride + vertex], least);
        panel.keys[k * stride + vertex] = blockIdx.y == 0 ? key + k + 1 : key;
    }
}

// Phase 3: all tiles. `from` are the rows of the pivots from BEFORE the round: a path over
// pivot k, its last pivot, goes on without one. The pivots' own columns cannot become less here.
__global__ void __launch_bounds__(kBlockSize, 3)
    relax_tiles_kernel(Matrices matrices, int round, Panel to, Panel from, const int* negative) {
    __shared__ __align__(16) int s_to[kPivots][kTile], s_from[kPivots][kTile];
    if (negative[round + 1] != 0) return;
    const std::int64_t tile_row = static_cast<std::int64_t>(blockIdx.y) * kTile;
    const std::int64_t tile_column = static_cast<std::int64_t>(blockIdx.x) * kTile;
    for (int i = kCells * threadIdx.x; i < kPivots * kTile; i += kCells * kBlockSize) {
        const int k = i / kTile, place = i % kTile;
        floyd::copy_four(&to.keys[k * matrices.stride + tile_row + place], &s_to[k][place]);
        floyd::copy_four(&from.keys[k * matrices.stride + tile_column + place], &s_from[k][place]);
    }
    const int y = kCells * (threadIdx.x / (kTile / kCells));
    const int x = kCells * (threadIdx.x % (kTile / kCells));
    int keys[kCells][kCells];
    floyd::load_keys<kPivots>(matrices, to, from, tile_row + y, tile_column + x, keys);
    __syncthreads();  // all threads read s_to and s_from
    for (int k = 0; k < kPivots; ++k) {
        int to_keys[kCells], from_keys[kCells];
        floyd::load_four(&s_to[k][y], to_keys);
        floyd::load_four(&s_from[k][x], from_keys);
        for (int i = 0; i < kCells; ++i) {
            for (int j = 0; j < kCells; ++j) {
                keys[i][j] = min(to_keys[i] + from_keys[j], keys[i][j]);
            }
        }
    }
    floyd::store_keys<kPivots>(matrices, round, to, from, tile_row + y, tile_column + x, keys);
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
    const Matrices matrices = {d_distances.data(), d_next_hops.data(), stride};
    const Panel to = {d_to_pivots.data(), d_keys.data(), d_least.data()};
    const Panel from = {d_from_pivots.data(), d_keys.data() + kPivots * stride,
                        d_least.data() + stride};

    timer.begin(Phase::kCopyIn);
    floyd::copy_in(input, matrices);

    timer.begin(Phase::kKernels);
    const int tiles = static_cast<int>(stride / kTile);  // along a side
    for (int round = 0; round < rounds; ++round) {
        floyd::relax_diagonal_kernel<<<1, dim3(kPivots, kPivots)>>>(
            matrices, round, d_pivot_rows.data(), d_negative.data());
        cuda_check(cudaGetLastError());
        cuda_check(cudaMemcpyAsync(d_from_pivots.data(),
                                   matrices.distances + round * kPivots * stride,
                                   d_from_pivots.bytes(), cudaMemcpyDeviceToDevice));
        floyd::relax_columns_kernel<<<stride / kPivots, dim3(kPivots, kPivots)>>>(
            matrices, round, d_pivot_rows.data(), d_to_pivots.data(), d_negative.data());
        cuda_check(cudaGetLastError());
        make_keys_kernel<<<dim3(tiles, 2), kTile>>>(to, from, stride, round, d_negative.data());
        cuda_check(cudaGetLastError());
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
