// SPDX-License-Identifier: MIT
// Floyd-Warshall, stage limit/07: tiles by size.
// Idea: with 1024 vertices there are only 56 tiles of 128 x 128, fewer than multiprocessors. Up to
// kSmall vertices, rounds have 64 steps and tiles 64 x 64 cells: four times as many tiles, and each
// round's chain of phases is shorter.
// Compared with limit/06_look_ahead: the side of a tile, which is the length of a round, is a
// template argument.
// Limit now: for small graphs the chain of phases, for large ones the add-min instruction.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/deep_panels/deep_panels.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/graph.hpp"
#include "common/cuda/shared_memory.hpp"
#include "common/cuda/stream.hpp"
#include "limit/01_blocked/matrices.cuh"
#include "limit/03_tagged_keys/keys.cuh"
#include "limit/05_async_copies/ring.cuh"
#include "limit/06_look_ahead/parts.cuh"
#include "problem/floyd.hpp"

using course::cuda_check, course::DeviceBuffer, course::Event, course::Graph, course::Stream,
    course::StreamPriority;
using floyd::Chunk, floyd::Distance, floyd::Input, floyd::kChunk, floyd::kRing, floyd::Matrices,
    floyd::Output, floyd::Panel, floyd::Part, floyd::Phase, floyd::PhaseTimer, floyd::Shape,
    floyd::Vertex;

constexpr int kCells = 4;  // of a square, per row and per column
constexpr int kSmall = 2048;  // vertices that are too few for tiles of 128 x 128 cells

// Phase 3: the tiles of one part. `from` are the rows of the pivots from BEFORE the round: a path
// over pivot k, its last pivot, goes on without one. The pivots' own columns cannot become less
// here.
template <int kSide>
__global__ void __launch_bounds__(Shape<kSide>::kThreads, kSide == 128 ? 2 : 4)
    relax_tiles_kernel(Matrices matrices, int round, Part part, Panel to, Panel from,
                       Distance* pivot_rows, int* negative) {
    using Tile = Shape<kSide>;
    extern __shared__ __align__(16) int s_words[];
    Chunk<kSide>* s_ring = reinterpret_cast<Chunk<kSide>*>(s_words);
    const bool at_centre = part == Part::kCross && blockIdx.x == 0;
    if (negative[round + 1] != 0) {
        if (at_centre && threadIdx.x == 0) negative[round + 2] = 1;
        return;
    }
    const int2 tile = floyd::tile_of(blockIdx.x, matrices.stride / kSide, round, part);
    const std::int64_t tile_row = static_cast<std::int64_t>(tile.y) * kSide;
    const std::int64_t tile_column = static_cast<std::int64_t>(tile.x) * kSide;
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
    if (at_centre) {
        __syncthreads();  // all threads read what all have stored
        floyd::relax_diagonal<kSide>(matrices, round + 1, pivot_rows, negative);
    }
}

template <int kSide>
void find_paths_in_tiles(const Input& input, Output& output, PhaseTimer& timer) {
    using Tile = Shape<kSide>;
    const std::int64_t count = input.count;
    const int rounds = static_cast<int>((count + kSide - 1) / kSide);
    const std::int64_t stride = (count + kSide - 1) / kSide * kSide;
    timer.begin(Phase::kSetup);
    DeviceBuffer<Distance> d_distances(stride * stride);
    DeviceBuffer<Vertex> d_next_hops(stride * stride);
    DeviceBuffer<Distance> d_pivot_rows(kSide * kSide);
    DeviceBuffer<Distance> d_panels(4 * kSide * stride);
    DeviceBuffer<int> d_keys(4 * kSide * stride);
    DeviceBuffer<Distance> d_least(4 * stride);
    DeviceBuffer<int> d_negative(rounds + 1);
    cuda_check(cudaMemset(d_negative.data(), 0, d_negative.bytes()));
    floyd::allow_strips<kSide>();
    constexpr std::size_t kRingBytes = kRing * sizeof(Chunk<kSide>);
    course::allow_dynamic_shared(relax_tiles_kernel<kSide>, kRingBytes);
    const Matrices matrices = {d_distances.data(), d_next_hops.data(), stride};
    Panel panels[4];  // to the pivots and from them, of even rounds and of odd ones
    for (int i = 0; i < 4; ++i) {
        panels[i] = {d_panels.data() + i * kSide * stride, d_keys.data() + i * kSide * stride,
                     d_least.data() + i * stride};
    }
    const Stream low(StreamPriority::kLow), high(StreamPriority::kHigh);
    Event settled, ahead;

    const int tiles = static_cast<int>(stride / kSide);  // along a side
    const auto launch_tiles = [&](int round, int blocks, Part part, const Stream& stream) {
        if (blocks == 0) return;
        const Panel* panel = panels + round % 2 * 2;
        relax_tiles_kernel<kSide><<<blocks, Tile::kThreads, kRingBytes, stream.get()>>>(
            matrices, round, part, panel[0], panel[1], d_pivot_rows.data(), d_negative.data());
        cuda_check(cudaGetLastError());
    };
    const auto launch_columns = [&](int round, const Stream& stream) {
        const Panel* panel = panels + round % 2 * 2;
        floyd::launch_columns<kSide>(matrices, round, d_pivot_rows.data(), panel[0], panel[1],
                                     d_negative.data(), stream.get());
    };
    const Graph all_rounds(low, [&] {
        floyd::relax_diagonal_kernel<kSide><<<1, Tile::kThreads, 0, low.get()>>>(
            matrices, 0, d_pivot_rows.data(), d_negative.data());
        cuda_check(cudaGetLastError());
        launch_columns(0, low);
        for (int round = 0; round < rounds - 1; ++round) {
            settled.record(low);  // the round before, and the panels of this one
            cuda_check(cudaStreamWaitEvent(high.get(), settled.get()));
            launch_tiles(round, 2 * tiles - 2, Part::kCross, high);
            launch_columns(round + 1, high);
            ahead.record(high);
            launch_tiles(round, (tiles - 1) * (tiles - 2), Part::kRest, low);
            cuda_check(cudaStreamWaitEvent(low.get(), ahead.get()));
        }
        launch_tiles(rounds - 1, tiles * (tiles - 1), Part::kAll, low);
    });

    timer.begin(Phase::kCopyIn);
    floyd::copy_in(input, matrices);

    timer.begin(Phase::kKernels);
    all_rounds.launch(low);

    timer.begin(Phase::kCopyOut);
    floyd::copy_out(matrices, d_negative.data() + rounds, count, output);
    timer.end();
    timer.note_grid(static_cast<std::int64_t>(tiles) * tiles, Tile::kThreads);
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
