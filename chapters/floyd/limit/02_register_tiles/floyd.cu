// SPDX-License-Identifier: MIT
// Floyd-Warshall, stage limit/02: 16 cells per thread.
// Idea: a thread of the third phase has 4 x 4 cells in registers. For each pivot it reads 4
// distances to the pivot and 4 from it, each with one access, and makes 16 relaxations.
// Compared with limit/01_blocked: relax_tiles_kernel; a tile has 64 x 64 cells.
// Limit now: instructions. A relaxation takes four: add, compare, and two selections.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "limit/01_blocked/matrices.cuh"
#include "limit/01_blocked/panels.cuh"
#include "limit/02_register_tiles/four_words.cuh"
#include "problem/floyd.hpp"

using course::cuda_check, course::DeviceBuffer;
using floyd::Distance, floyd::Input, floyd::kPivots, floyd::Matrices, floyd::Output, floyd::Phase,
    floyd::PhaseTimer, floyd::Vertex;

constexpr int kTile = 64;  // the side of a tile
constexpr int kCells = 4;  // of a thread, per row and per column
constexpr int kBlockSize = kTile * kTile / (kCells * kCells);

// Phase 3: all tiles. `from_pivots` are the rows of the pivots from BEFORE the round: a path over
// pivot k, its last pivot, goes on without one. The pivots' own columns cannot become less here.
__global__ void __launch_bounds__(kBlockSize, 3)
    relax_tiles_kernel(Matrices matrices, int round, const Distance* to_pivots,
                       const Distance* from_pivots, const int* negative) {
    __shared__ __align__(16) Distance s_to[kPivots][kTile], s_from[kPivots][kTile];
    if (negative[round + 1] != 0) return;
    const std::int64_t tile_row = static_cast<std::int64_t>(blockIdx.y) * kTile;
    const std::int64_t tile_column = static_cast<std::int64_t>(blockIdx.x) * kTile;
    for (int i = kCells * threadIdx.x; i < kPivots * kTile; i += kCells * kBlockSize) {
        const int k = i / kTile, place = i % kTile;
        floyd::copy_four(&to_pivots[k * matrices.stride + tile_row + place], &s_to[k][place]);
        floyd::copy_four(&from_pivots[k * matrices.stride + tile_column + place],
                         &s_from[k][place]);
    }
    const int y = kCells * (threadIdx.x / (kTile / kCells));
    const int x = kCells * (threadIdx.x % (kTile / kCells));
    Distance best[kCells][kCells];
    int via[kCells][kCells];
    for (int i = 0; i < kCells; ++i) {
        floyd::load_four(
            &matrices.distances[(tile_row + y + i) * matrices.stride + tile_column + x], best[i]);
        for (int j = 0; j < kCells; ++j) {
            best[i][j] = floyd::as_cell(best[i][j]);
            via[i][j] = -1;
        }
    }
    __syncthreads();  // all threads read s_to and s_from
    for (int k = 0; k < kPivots; ++k) {
        Distance to[kCells], from[kCells];
        floyd::load_four(&s_to[k][y], to);
        floyd::load_four(&s_from[k][x], from);
        for (int i = 0; i < kCells; ++i) {
            for (int j = 0; j < kCells; ++j) {
                const Distance through = to[i] + from[j];
                if (through < best[i][j]) {
                    best[i][j] = through;
                    via[i][j] = k;
                }
            }
        }
    }
    for (int i = 0; i < kCells; ++i) {
        const std::int64_t row = (tile_row + y + i) * matrices.stride;
        for (int j = 0; j < kCells; ++j) {
            if (via[i][j] < 0) continue;
            matrices.distances[row + tile_column + x + j] = best[i][j];
            matrices.next_hops[row + tile_column + x + j] =
                matrices.next_hops[row + round * kPivots + via[i][j]];
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
    DeviceBuffer<int> d_negative(rounds + 1);
    cuda_check(cudaMemset(d_negative.data(), 0, d_negative.bytes()));
    const Matrices matrices = {d_distances.data(), d_next_hops.data(), stride};

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
        relax_tiles_kernel<<<dim3(tiles, tiles), kBlockSize>>>(
            matrices, round, d_to_pivots.data(), d_from_pivots.data(), d_negative.data());
        cuda_check(cudaGetLastError());
    }

    timer.begin(Phase::kCopyOut);
    floyd::copy_out(matrices, d_negative.data() + rounds, count, output);
    timer.end();
    timer.note_grid(static_cast<std::int64_t>(tiles) * tiles, kBlockSize);
    timer.declare_work(floyd::work_of_rounds(input, kPivots));
}

int main(int argc, char** argv) { return floyd::run_stage(argc, argv, STAGE_NAME, find_paths); }
