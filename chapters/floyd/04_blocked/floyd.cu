// SPDX-License-Identifier: MIT
// Floyd-Warshall, stage 04: blocks of pivots.
// Idea: one pass over the matrix makes 32 steps instead of one. A cell needs only 32 distances to
// the pivots of the round and 32 distances from them, which wait in shared memory. Three kernels:
// the tile on the diagonal (1), the columns of the pivots (2), all tiles (3).
// Compared with 02_row_per_block: a round of 32 steps instead of a step; the matrix is padded to
// whole tiles.
// Limit now: instructions. A relaxation adds, compares, selects twice, and loads 1.25 times.
// Not of the thesis. Venkataraman et al. 2003 and Katz and Kider 2008 have the three phases; the
// README says what differs here, so that no next hop leads into a loop.
#include <cuda_runtime.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/floyd.hpp"

using course::cuda_check, course::DeviceBuffer;
using floyd::Distance, floyd::Input, floyd::kInfinity, floyd::kMaxDistance, floyd::kNoHop,
    floyd::Output, floyd::Phase, floyd::PhaseTimer, floyd::Vertex;

constexpr int kPivots = 32;  // of a round; the side of a tile, too
constexpr int kWarps = 8;  // per block of the third phase
constexpr int kRows = kPivots / kWarps;  // of a thread, in the third phase
constexpr unsigned kAllLanes = ~0U;
constexpr int kFillSize = 256;

// The matrices on the device, by rows of `stride` cells: a multiple of the tile's side. Vertices
// beyond the last one have no edges.
struct Matrices {
    Distance* distances;
    Vertex* next_hops;
    std::int64_t stride;
};

__global__ void fill_kernel(Matrices matrices) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kFillSize + threadIdx.x;
    reinterpret_cast<int4*>(matrices.distances)[i] =
        make_int4(kInfinity, kInfinity, kInfinity, kInfinity);
    reinterpret_cast<int4*>(matrices.next_hops)[i] = make_int4(kNoHop, kNoHop, kNoHop, kNoHop);
}

// Phase 1: takes the tile on the diagonal through the round's steps. Only the rows of the pivots
// leave the kernel, row k as it is at step k. A negative cycle whose largest vertex is pivot k has
// made the distance from k to itself negative by then: the flag of this round is negative[round +
// 1], and all later rounds hand it on.
__global__ void relax_diagonal_kernel(Matrices matrices, int round, Distance* pivot_rows,
                                      int* negative) {
    __shared__ Distance s_tile[kPivots][kPivots];
    const int row = threadIdx.y, column = threadIdx.x;
    if (negative[round] != 0) {
        if (row == 0 && column == 0) negative[round + 1] = 1;
        return;
    }
    const std::int64_t first = static_cast<std::int64_t>(round) * kPivots;
    s_tile[row][column] = matrices.distances[(first + row) * matrices.stride + first + column];
    for (int k = 0; k < kPivots; ++k) {
        __syncthreads();  // a step reads what the step before it wrote; it changes no row or column
                          // k
        if (s_tile[k][k] < 0) {
            if (row == 0 && column == 0) negative[round + 1] = 1;
            return;
        }
        if (row == k) pivot_rows[k * kPivots + column] = s_tile[k][column];
        const Distance through = s_tile[row][k] + s_tile[k][column];
        if (through < min(s_tile[row][column], kMaxDistance + 1)) s_tile[row][column] = through;
    }
}

// Phase 2: takes the columns of the pivots through the round's steps, in all rows. A warp has a
// row, and a lane a column. `to_pivots` is a copy of the result, by pivots.
__global__ void relax_columns_kernel(Matrices matrices, int round, const Distance* pivot_rows,
                                     Distance* to_pivots, const int* negative) {
    __shared__ Distance s_pivot_rows[kPivots][kPivots], s_to[kPivots][kPivots + 1];
    if (negative[round + 1] != 0) return;
    const int lane = threadIdx.x, warp = threadIdx.y;
    const std::int64_t first_row = static_cast<std::int64_t>(blockIdx.x) * kPivots;
    const std::int64_t cell = (first_row + warp) * matrices.stride + round * kPivots + lane;
    s_pivot_rows[warp][lane] = pivot_rows[warp * kPivots + lane];
    Distance distance = matrices.distances[cell];
    Vertex hop = matrices.next_hops[cell];
    __syncthreads();  // all warps read all pivot rows
    for (int k = 0; k < kPivots; ++k) {
        const Distance through = __shfl_sync(kAllLanes, distance, k) + s_pivot_rows[k][lane];
        const Vertex first_hop = __shfl_sync(kAllLanes, hop, k);
        if (through < min(distance, kMaxDistance + 1)) {
            distance = through;
            hop = first_hop;
        }
    }
    matrices.distances[cell] = distance;
    matrices.next_hops[cell] = hop;
    s_to[lane][warp] = distance;
    __syncthreads();  // a warp now stores the distances of all rows to one pivot
    to_pivots[warp * matrices.stride + first_row + lane] = s_to[warp][lane];
}

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
    fill_kernel<<<stride * stride / 4 / kFillSize, kFillSize>>>(matrices);
    cuda_check(cudaGetLastError());
    const std::size_t row_bytes = count * sizeof(Distance), pitch = stride * sizeof(Distance);
    cuda_check(cudaMemcpy2D(matrices.distances, pitch, input.distances.data(), row_bytes, row_bytes,
                            count, cudaMemcpyHostToDevice));
    cuda_check(cudaMemcpy2D(matrices.next_hops, pitch, input.next_hops.data(), row_bytes, row_bytes,
                            count, cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    const int tiles = static_cast<int>(stride / kPivots);  // along a side
    for (int round = 0; round < rounds; ++round) {
        relax_diagonal_kernel<<<1, dim3(kPivots, kPivots)>>>(matrices, round, d_pivot_rows.data(),
                                                             d_negative.data());
        cuda_check(cudaGetLastError());
        cuda_check(cudaMemcpyAsync(d_from_pivots.data(),
                                   matrices.distances + round * kPivots * stride,
                                   d_from_pivots.bytes(), cudaMemcpyDeviceToDevice));
        relax_columns_kernel<<<tiles, dim3(kPivots, kPivots)>>>(
            matrices, round, d_pivot_rows.data(), d_to_pivots.data(), d_negative.data());
        cuda_check(cudaGetLastError());
        relax_tiles_kernel<<<dim3(tiles, tiles), dim3(kPivots, kWarps)>>>(
            matrices, round, d_to_pivots.data(), d_from_pivots.data(), d_negative.data());
        cuda_check(cudaGetLastError());
    }

    timer.begin(Phase::kCopyOut);
    cuda_check(cudaMemcpy2D(output.distances.data(), row_bytes, matrices.distances, pitch,
                            row_bytes, count, cudaMemcpyDeviceToHost));
    cuda_check(cudaMemcpy2D(output.next_hops.data(), row_bytes, matrices.next_hops, pitch,
                            row_bytes, count, cudaMemcpyDeviceToHost));
    int negative = 0;
    cuda_check(
        cudaMemcpy(&negative, d_negative.data() + rounds, sizeof negative, cudaMemcpyDeviceToHost));
    output.negative_cycle = negative != 0;
    timer.end();
    timer.note_grid(static_cast<std::int64_t>(tiles) * tiles, kPivots * kWarps);
    timer.declare_work(floyd::work_of_rounds(input, kPivots));
}

int main(int argc, char** argv) { return floyd::run_stage(argc, argv, STAGE_NAME, find_paths); }
