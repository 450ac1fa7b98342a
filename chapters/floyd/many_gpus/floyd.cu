// SPDX-License-Identifier: MIT
// Floyd-Warshall, stage many_gpus: many GPUs.
// Idea: each rank, a process with its own GPU, has a slice of the rows, 1/P of the matrices. Their
// owner relaxes the next round's pivots first and broadcasts their rows, while all ranks relax
// their other tiles: look-ahead. Every tile has the same work in every round: slices are balanced.
// Compared with limit/07_tiles_by_size: local rows, the broadcast, rows of tiles in place of parts.
// Limit now: the add-min instruction on each GPU.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>
#include <span>

#include "blocks/deep_panels/deep_panels.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/graph.hpp"
#include "common/cuda/shared_memory.hpp"
#include "common/cuda/stream.hpp"
#include "common/ranks/nccl_ranks.hpp"
#include "limit/05_async_copies/ring.cuh"
#include "problem/floyd.hpp"

using course::cuda_check, course::DeviceBuffer, course::Event, course::Graph, course::nccl_check,
    course::Stream, course::StreamPriority;
using floyd::Chunk, floyd::Distance, floyd::Input, floyd::kChunk, floyd::kRing, floyd::Matrices,
    floyd::Output, floyd::Panel, floyd::Phase, floyd::PhaseTimer, floyd::Shape, floyd::Vertex;

constexpr int kCells = 4;  // of a square, per row and per column
constexpr int kSmall = 2048;  // vertices that are too few for tiles of 128 x 128 cells

// Phase 3: rows of tiles from `first_row` on, without `other_row`. `from` are the rows of the
// pivots from BEFORE the round: a path over pivot k, its last pivot, goes on without one. The
// pivots' own columns cannot become less here.
template <int kSide>
__global__ void __launch_bounds__(Shape<kSide>::kThreads, kSide == 128 ? 2 : 4)
    relax_tiles_kernel(Matrices matrices, int round, int first_row, int other_row, Panel to,
                       Panel from, const int* negative) {
    using Tile = Shape<kSide>;
    extern __shared__ __align__(16) int s_words[];
    Chunk<kSide>* s_ring = reinterpret_cast<Chunk<kSide>*>(s_words);
    if (negative[round + 1] != 0) return;
    const int row = first_row + blockIdx.y, column = blockIdx.x;
    const std::int64_t tile_row =
        static_cast<std::int64_t>(row < other_row ? row : row + 1) * kSide;
    // In the column of the round's own pivots nothing becomes less.
    const std::int64_t tile_column =
        static_cast<std::int64_t>(column < round ? column : column + 1) * kSide;
    for (int chunk = 0; chunk < kRing - 1; ++chunk) {
        fetch_chunk(to.keys + tile_row, from.keys + tile_column, matrices.stride, chunk, s_ring);
    }
    // A warp has 4 x 8 squares, so it reads and stores whole lines of the matrices.
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int y = kCells * (warp % 4 * 4 + lane / 8);
    const int x = kCells * (warp / 4 * 8 + lane % 8);
    floyd::TileKeys<kSide> keys;
#pragma unroll
    for (int u = 0; u < Tile::kRows; ++u) {
#pragma unroll
        for (int v = 0; v < Tile::kColumns; ++v) {
            floyd::load_keys<kSide>(matrices, to, from, tile_row + y + u * Tile::kRowsApart,
                                    tile_column + x + v * Tile::kColumnsApart, keys[u][v]);
        }
    }
    for (int chunk = 0; chunk < kSide / kChunk; ++chunk) {
        __pipeline_wait_prior(kRing - 2);  // this thread's part of the chunk has come
        // So have all other parts. And all threads have left the chunk that is overwritten next.
        __syncthreads();
        fetch_chunk(to.keys + tile_row, from.keys + tile_column, matrices.stride, chunk + kRing - 1,
                    s_ring);
        relax_chunk(s_ring[chunk % kRing], y, x, keys);
    }
#pragma unroll
    for (int u = 0; u < Tile::kRows; ++u) {
#pragma unroll
        for (int v = 0; v < Tile::kColumns; ++v) {
            floyd::store_keys<kSide>(matrices, round, to, from, tile_row + y + u * Tile::kRowsApart,
                                     tile_column + x + v * Tile::kColumnsApart, keys[u][v]);
        }
    }
}

template <int kSide>
void find_paths_in_tiles(const Input& input, Output& output, PhaseTimer& timer) {
    using Tile = Shape<kSide>;
    course::NcclRanks& ranks = course::NcclRanks::of(timer);
    const std::int64_t count = input.count;
    const int rounds = static_cast<int>((count + kSide - 1) / kSide);
    const std::int64_t stride = std::int64_t{rounds} * kSide;
    timer.begin(Phase::kSetup);
    const course::Slice own = ranks.slice(rounds);  // rows of tiles
    const int own_rows = static_cast<int>(own.size());
    DeviceBuffer<Distance> d_distances(own_rows * kSide * stride);
    DeviceBuffer<Vertex> d_next_hops(own_rows * kSide * stride);
    DeviceBuffer<Distance> d_rows(kSide * stride), d_pivot_rows(kSide * kSide);
    DeviceBuffer<Distance> d_panels(2 * kSide * stride), d_least(2 * stride);
    DeviceBuffer<int> d_keys(2 * kSide * stride), d_negative(rounds + 1);
    cuda_check(cudaMemset(d_negative.data(), 0, d_negative.bytes()));
    floyd::allow_strips<kSide>();
    constexpr std::size_t kRingBytes = kRing * sizeof(Chunk<kSide>);
    course::allow_dynamic_shared(relax_tiles_kernel<kSide>, kRingBytes);
    const Matrices matrices = {d_distances.data(), d_next_hops.data(), stride};
    const Panel to = {d_panels.data(), d_keys.data(), d_least.data()};
    const Panel from = {d_panels.data() + kSide * stride, d_keys.data() + kSide * stride,
                        d_least.data() + stride};
    const Stream low(StreamPriority::kLow), high(StreamPriority::kHigh);
    Event settled, ahead;
    const ncclComm_t communicator = ranks.communicator();

    const auto owns = [&](int round) { return round >= own.begin && round < own.end; };
    // Rows `rows` of the matrices that begin with the pivots of the round.
    const auto from_pivots = [&](Distance* rows, int round) {
        return Matrices{rows - round * kSide * stride, nullptr, stride};
    };
    // The owner takes the round's pivots through its steps. All ranks get the rows from before.
    const auto share_pivots = [&](int round) {
        Distance* const rows =
            owns(round) ? d_distances.data() + (round - own.begin) * kSide * stride : d_rows.data();
        if (owns(round)) {
            floyd::relax_diagonal_kernel<kSide><<<1, Tile::kThreads, 0, high.get()>>>(
                from_pivots(rows, round), round, d_pivot_rows.data(), d_negative.data());
            cuda_check(cudaGetLastError());
        }
        if (ranks.count() == 1) {
            cuda_check(cudaMemcpyAsync(d_rows.data(), rows, d_rows.bytes(),
                                       cudaMemcpyDeviceToDevice, high.get()));
            return;
        }
        int root = 0;
        while (course::slice_of(rounds, root, ranks.count()).end <= round) ++root;
        nccl_check(ncclGroupStart());
        nccl_check(ncclBroadcast(rows, d_rows.data(), kSide * stride, ncclInt, root, communicator,
                                 high.get()));
        nccl_check(
            ncclBcast(d_pivot_rows.data(), kSide * kSide, ncclInt, root, communicator, high.get()));
        nccl_check(
            ncclBcast(d_negative.data() + round + 1, 1, ncclInt, root, communicator, high.get()));
        nccl_check(ncclGroupEnd());
    };
    const auto make_panels = [&](int round) {
        floyd::copy_pivot_rows_kernel<kSide><<<stride / 32, 32 * floyd::kStripRows, 0, low.get()>>>(
            from_pivots(d_rows.data(), round), round, from, d_negative.data());
        cuda_check(cudaGetLastError());
        if (own_rows == 0) return;
        floyd::relax_columns_kernel<kSide>
            <<<own_rows * kSide / floyd::kStripRows, 32 * floyd::kStripRows,
               floyd::kStripBytes<kSide>, low.get()>>>(matrices, round, d_pivot_rows.data(), to,
                                                       from, d_negative.data());
        cuda_check(cudaGetLastError());
    };
    const auto relax_rows = [&](int round, int first_row, int rows, int other_row,
                                const Stream& stream) {
        if (rows == 0 || rounds == 1) return;
        relax_tiles_kernel<kSide>
            <<<dim3(rounds - 1, rows), Tile::kThreads, kRingBytes, stream.get()>>>(
                matrices, round, first_row, other_row, to, from, d_negative.data());
        cuda_check(cudaGetLastError());
    };
    const Graph all_rounds(low, [&] {
        for (int round = -1; round < rounds; ++round) {
            if (round >= 0) make_panels(round);
            const int next = round + 1;
            settled.record(low);
            cuda_check(cudaStreamWaitEvent(high.get(), settled.get()));
            const int next_row = owns(next) ? next - static_cast<int>(own.begin) : own_rows;
            if (round >= 0 && owns(next)) relax_rows(round, next_row, 1, own_rows, high);
            if (next < rounds) share_pivots(next);
            ahead.record(high);
            if (round >= 0) {
                relax_rows(round, 0, owns(next) ? own_rows - 1 : own_rows, next_row, low);
            }
            cuda_check(cudaStreamWaitEvent(low.get(), ahead.get()));
        }
    });

    timer.begin(Phase::kCopyIn);
    floyd::copy_rows_in(input, own.begin * kSide, own_rows * kSide, matrices);

    timer.begin(Phase::kKernels);
    all_rounds.launch(low);

    timer.begin(Phase::kCopyOut);
    floyd::copy_rows_out(matrices, d_negative.data() + rounds, own.begin * kSide, own_rows * kSide,
                         count, output);
    ranks.gather(std::span(output.distances), kSide * count);
    ranks.gather(std::span(output.next_hops), kSide * count);
    timer.end();
    timer.note_grid(static_cast<std::int64_t>(rounds) * own_rows, Tile::kThreads);
    timer.declare_work(floyd::work_of_rounds(input, kSide));
}

void find_paths(const Input& input, Output& output, PhaseTimer& timer) {
    if (input.count <= kSmall) {
        find_paths_in_tiles<64>(input, output, timer);
    } else {
        find_paths_in_tiles<128>(input, output, timer);
    }
}

int main(int argc, char** argv) { return floyd::run_stage(argc, argv, STAGE_NAME, find_paths); }
