// SPDX-License-Identifier: MIT
// Floyd-Warshall, stage limit/06: look ahead.
// Idea: the first two phases of the next round need only its pivots' rows and columns. So this
// cross of tiles is relaxed first, on a stream of high priority, and the block of its centre goes
// on with the next round's first phase. The second phase follows, all beside the other tiles. All
// launches are known before the first one: recorded once as a graph, they are one call.
// Compared with limit/05_async_copies: Part, two streams, two sets of panels, and the graph, which
// is captured in the phase `setup`.
// Limit now: the add-min instruction, at which the third phase spends most of its time.
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
using floyd::Distance, floyd::Input, floyd::kChunk, floyd::kRing, floyd::Matrices, floyd::Output,
    floyd::Panel, floyd::Part, floyd::Phase, floyd::PhaseTimer, floyd::Vertex;

constexpr int kPivots = 128;  // of a round
constexpr int kTile = 128;  // the side of a tile
constexpr int kSquares = 2;  // of a thread, per row and per column
constexpr int kCells = 4;  // of a square, per row and per column
constexpr int kApart = kTile / kSquares;  // from one square of a thread to the next
constexpr int kBlockSize = kApart * kApart / (kCells * kCells);
using Chunk = floyd::Chunk<kTile>;

// Phase 3: the tiles of one part. `from` are the rows of the pivots from BEFORE the round: a path
// over pivot k, its last pivot, goes on without one. The pivots' own columns cannot become less
// here.
__global__ void __launch_bounds__(kBlockSize, 2)
    relax_tiles_kernel(Matrices matrices, int round, Part part, Panel to, Panel from,
                       Distance* pivot_rows, int* negative) {
    extern __shared__ Chunk s_ring[];
    const bool at_centre = part == Part::kCross && blockIdx.x == 0;
    if (negative[round + 1] != 0) {
        if (at_centre && threadIdx.x == 0) negative[round + 2] = 1;
        return;
    }
    const int2 tile = floyd::tile_of(blockIdx.x, matrices.stride / kTile, round, part);
    const std::int64_t tile_row = static_cast<std::int64_t>(tile.y) * kTile;
    const std::int64_t tile_column = static_cast<std::int64_t>(tile.x) * kTile;
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
    if (at_centre) {
        __syncthreads();  // all threads read what all have stored
        floyd::relax_diagonal<kPivots>(matrices, round + 1, pivot_rows, negative);
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
    DeviceBuffer<Distance> d_panels(4 * kPivots * stride);
    DeviceBuffer<int> d_keys(4 * kPivots * stride);
    DeviceBuffer<Distance> d_least(4 * stride);
    DeviceBuffer<int> d_negative(rounds + 1);
    cuda_check(cudaMemset(d_negative.data(), 0, d_negative.bytes()));
    floyd::allow_strips<kPivots>();
    constexpr std::size_t kRingBytes = kRing * sizeof(Chunk);
    course::allow_dynamic_shared(relax_tiles_kernel, kRingBytes);
    const Matrices matrices = {d_distances.data(), d_next_hops.data(), stride};
    Panel panels[4];  // to the pivots and from them, of even rounds and of odd ones
    for (int i = 0; i < 4; ++i) {
        panels[i] = {d_panels.data() + i * kPivots * stride, d_keys.data() + i * kPivots * stride,
                     d_least.data() + i * stride};
    }
    const Stream low(StreamPriority::kLow), high(StreamPriority::kHigh);
    Event settled, ahead;

    const int tiles = static_cast<int>(stride / kTile);  // along a side
    const auto launch_tiles = [&](int round, int blocks, Part part, const Stream& stream) {
        if (blocks == 0) return;
        const Panel* panel = panels + round % 2 * 2;
        relax_tiles_kernel<<<blocks, kBlockSize, kRingBytes, stream.get()>>>(
            matrices, round, part, panel[0], panel[1], d_pivot_rows.data(), d_negative.data());
        cuda_check(cudaGetLastError());
    };
    const auto launch_columns = [&](int round, const Stream& stream) {
        const Panel* panel = panels + round % 2 * 2;
        floyd::launch_columns<kPivots>(matrices, round, d_pivot_rows.data(), panel[0], panel[1],
                                       d_negative.data(), stream.get());
    };
    const Graph all_rounds(low, [&] {
        floyd::relax_diagonal_kernel<kPivots>
            <<<1, kBlockSize, 0, low.get()>>>(matrices, 0, d_pivot_rows.data(), d_negative.data());
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
    timer.note_grid(static_cast<std::int64_t>(tiles) * tiles, kBlockSize);
    timer.declare_work(floyd::work_of_rounds(input, kPivots));
}

int main(int argc, char** argv) { return floyd::run_stage(argc, argv, STAGE_NAME, find_paths); }
