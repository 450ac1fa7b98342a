// SPDX-License-Identifier: MIT
// Floyd-Warshall, stage limit/01: blocks of pivots.
// Idea: one pass over the matrix makes 32 steps instead of one. A cell needs only 32 distances to
// the pivots of the round and 32 distances from them, which wait in shared memory. Three kernels:
// the tile on the diagonal (1) and the columns of the pivots (2), both in panels.cuh, and all tiles
// (3).
// Compared with 02_row_per_block: a round of 32 steps instead of a step; the matrix is padded to
// whole tiles.
// Limit now: instructions. A relaxation adds, compares, selects twice, and loads 1.25 times.
// Not of the thesis. Venkataraman et al. 2003 and Katz and Kider 2008 have the three phases; the
// README says what differs here, so that no next hop leads into a loop.
#include <cuda_runtime.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "limit/01_blocked/matrices.cuh"
#include "limit/01_blocked/panels.cuh"
#include "problem/floyd.hpp"

using course::cuda_check, course::DeviceBuffer;
using floyd::Distance, floyd::Input, floyd::kMaxDistance, floyd::kPivots, floyd::Matrices,
    floyd::Output, floyd::Phase, floyd::PhaseTimer, floyd::Vertex;

constexpr int kWarps = 8;  // per block of the third phase
constexpr int kRows = kPivots / kWarps;  // of a thread, in the third phase

// Phase 3: all tiles. `from_pivots` are the rows of the pivots from BEFORE the round: a path over
// pivot k, its last pivot, goes on without one. The pivots' own columns cannot become less here.
__global__ void relax_tiles_kernel(Matrices matrices, int round, const Distance* to_pivots,
                                   const Distance* from_pivots, const int* negative) {
    __shared__ Distance s_to[kPivots][kPivots], s_from[kPivots][kPivots];
    if (negative[round + 1] != 0) return;
    const int lane = threadIdx.x;
    const std::int64_t first_row = static_cast<std::int64_t>(blockIdx.y) * kPivots;
    const std::int64_t first_column = static_cast<std::int64_t>(blockIdx.x) * kPivots;
    for (int k = threadIdx.y; k < kPivots; k += kWarps) {
        s_to[k][lane] = to_pivots[k * matrices.stride + first_row + lane];
        s_from[k][lane] = from_pivots[k * matrices.stride + first_column + lane];
    }
    __syncthreads();  // all threads read both
    Distance best[kRows];
    int via[kRows];
    for (int r = 0; r < kRows; ++r) {
        const std::int64_t row = (first_row + threadIdx.y + r * kWarps) * matrices.stride;
        best[r] = min(matrices.distances[row + first_column + lane], kMaxDistance + 1);
        via[r] = -1;
    }
    for (int k = 0; k < kPivots; ++k) {
        const Distance from_pivot = s_from[k][lane];
        for (int r = 0; r < kRows; ++r) {
            const Distance through = s_to[k][threadIdx.y + r * kWarps] + from_pivot;
            if (through < best[r]) {
                best[r] = through;
                via[r] = k;
            }
        }
    }
    for (int r = 0; r < kRows; ++r) {
        if (via[r] < 0) continue;
        const std::int64_t row = (first_row + threadIdx.y + r * kWarps) * matrices.stride;
        matrices.distances[row + first_column + lane] = best[r];
        matrices.next_hops[row + first_column + lane] =
            matrices.next_hops[row + round * kPivots + via[r]];
    }
}

void find_paths(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count;
    const int rounds = static_cast<int>((count + kPivots - 1) / kPivots);
    const std::int64_t stride = static_cast<std::int64_t>(rounds) * kPivots;
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
    const int tiles = static_cast<int>(stride / kPivots);  // along a side
    for (int round = 0; round < rounds; ++round) {
        floyd::relax_diagonal_kernel<<<1, dim3(kPivots, kPivots)>>>(
            matrices, round, d_pivot_rows.data(), d_negative.data());
        cuda_check(cudaGetLastError());
        cuda_check(cudaMemcpyAsync(d_from_pivots.data(),
                                   matrices.distances + round * kPivots * stride,
                                   d_from_pivots.bytes(), cudaMemcpyDeviceToDevice));
        floyd::relax_columns_kernel<<<tiles, dim3(kPivots, kPivots)>>>(
            matrices, round, d_pivot_rows.data(), d_to_pivots.data(), d_negative.data());
        cuda_check(cudaGetLastError());
        relax_tiles_kernel<<<dim3(tiles, tiles), dim3(kPivots, kWarps)>>>(
            matrices, round, d_to_pivots.data(), d_from_pivots.data(), d_negative.data());
        cuda_check(cudaGetLastError());
    }

    timer.begin(Phase::kCopyOut);
    floyd::copy_out(matrices, d_negative.data() + rounds, count, output);
    timer.end();
    timer.note_grid(static_cast<std::int64_t>(tiles) * tiles, kPivots * kWarps);
    timer.declare_work(floyd::work_of_rounds(input, kPivots));
}

int main(int argc, char** argv) { return floyd::run_stage(argc, argv, STAGE_NAME, find_paths); }
