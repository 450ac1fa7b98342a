// SPDX-License-Identifier: MIT
// The merges of limit/07_tiles_by_size, whose first pass may merge runs of any lengths instead.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/bulk_copies/bulk_copies.cuh"
#include "blocks/multiway_cuts/block_cuts.cuh"
#include "blocks/multiway_cuts/sampled_cuts.cuh"
#include "blocks/natural_runs/found_runs.cuh"
#include "blocks/sized_tiles/sized_merge.cuh"
#include "limit/06_bulk_tiles/bulk_tile.cuh"
#include "problem/mergesort.hpp"
#include "problem/multiway.hpp"

namespace mergesort::natural {

// One block per tile of the result, which searches its own cuts.
template <int kWays, int kKeys>
__global__ void __launch_bounds__(kThreads, sized::kBlocks)
    cut_and_merge_kernel(const Key* __restrict__ from, Key* __restrict__ to, Pass pass,
                         PassOrder order) {
    extern __shared__ __align__(16) Key s_keys[];
    __shared__ sized::Tile<kWays, kKeys> s_tile;
    __shared__ SideCuts<kWays, kThreads> s_sides[2];
    __shared__ FoundRuns s_found;
    __shared__ std::uint64_t s_arrived;
    const int thread = threadIdx.x, side = thread / (kThreads / 2), run = thread % (kThreads / 2);
    Order found = Order::kNone;
    if (order.tile_orders != nullptr && order.is_first) {
        found = find_runs<kWays>(order.tile_orders, order.tile_keys, pass.count, s_found);
        if (thread == 0 && blockIdx.x == 0) order.found->order = found;
    } else if (order.tile_orders != nullptr) {
        found = order.found->order;
    }
    const bool has_runs = order.is_first && found == Order::kRuns;
    std::int64_t group = blockIdx.x / pass.tiles_per_group * kWays * pass.run;
    std::int64_t begin = group + run * pass.run;
    std::int64_t length = min(max(pass.count - begin, std::int64_t{0}), pass.run);
    std::int64_t tile_begin = blockIdx.x % pass.tiles_per_group * pass.capacity;
    std::int64_t all = min(pass.count - group, kWays * pass.run);
    if (has_runs) {
        group = 0;
        begin = run < kWays ? s_found.begins[run] : 0;
        length = run < kWays ? s_found.lengths[run] : 0;
        tile_begin = blockIdx.x * std::int64_t{pass.capacity};
        all = pass.count;
        if (tile_begin >= all) return;
    }
    const std::int64_t rank = min(tile_begin + side * pass.capacity, all);
    // What was found arrives while the search begins.
    cut_sides<kWays>(from, begin, static_cast<int>(length), static_cast<int>(rank), s_sides,
                     has_runs || found == Order::kNone);
    if (is_done(order, found, from, to, pass.count)) return;
    if (thread < 32) {
        Fragment fragment = {};
        if (thread < kWays) {
            const int cut = s_sides[0].cuts[thread];
            fragment = {begin + cut, s_sides[1].cuts[thread] - cut, group + tile_begin};
        }
        fetch_fragments(from, fragment, s_keys, s_tile, s_arrived);
    }
    Key own[kKeys];
    sized::merge_fragments<kWays>(s_keys, s_tile, s_arrived, own);
    store_bulk(to + s_tile.result, s_keys, s_tile.starts[kWays]);
}

// As find_sampled_cuts_kernel, with blocks of kThreads. If something was found, all boundaries are
// negative: ~cut of a run, or -1 if nothing is to merge. So the merge waits for nothing but them.
template <int kWays, int kStep>
__global__ void find_run_cuts_kernel(const Key* __restrict__ from, const Key* __restrict__ samples,
                                     Pass pass, PassOrder order,
                                     std::int64_t* __restrict__ boundaries) {
    __shared__ FoundRuns s_found;
    Order found = Order::kNone;
    if (order.tile_orders != nullptr && order.is_first) {
        found = find_runs<kWays>(order.tile_orders, order.tile_keys, pass.count, s_found);
        if (threadIdx.x == 0 && blockIdx.x == 0) {
            if (found == Order::kRuns) *order.found = s_found;
            order.found->order = found;
        }
    } else if (order.tile_orders != nullptr) {
        found = order.found->order;
    }
    const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const std::int64_t tile = thread / kWays;
    if (tile >= pass.tiles) return;
    std::int64_t boundary = -1;
    if (found == Order::kNone) {
        boundary = find_sampled_cut<kWays, kStep>(from, samples, pass, tile);
    } else if (found == Order::kRuns && order.is_first) {
        const Lanes<kWays> lanes;
        const std::int64_t rank = min(tile * pass.capacity, pass.count);
        boundary =
            ~cut_run(lanes, from, s_found.begins[lanes.lane], s_found.lengths[lanes.lane], rank);
    }
    boundaries[thread] = boundary;
}

// One block per tile of the result, whose cuts are known.
template <int kWays, int kKeys>
__global__ void __launch_bounds__(kThreads, sized::kBlocks)
    merge_tiles_kernel(const Key* __restrict__ from, Key* __restrict__ to,
                       Key* __restrict__ samples, Pass pass, PassOrder order,
                       const std::int64_t* __restrict__ boundaries) {
    extern __shared__ __align__(16) Key s_keys[];
    __shared__ sized::Tile<kWays, kKeys> s_tile;
    __shared__ std::uint64_t s_arrived;
    const int thread = threadIdx.x;
    const std::int64_t tile = blockIdx.x;
    bool is_found = false;
    if (thread < 32) {
        Fragment own = {};
        if (thread < kWays) own = find_fragment<kWays>(pass, boundaries, tile);
        const std::int64_t group = tile / pass.tiles_per_group * kWays * pass.run;
        is_found = __any_sync(0xffffffff, thread == 0 && own.begin < group);  // a negative cut
        if (thread == 0) place_samples(pass, tile, own.tile_begin, s_tile);
        if (!is_found) fetch_fragments(from, own, s_keys, s_tile, s_arrived);
    }
    is_found = __syncthreads_or(is_found);
    if (is_found) {
        if (is_done(order, order.found->order, from, to, pass.count)) return;
        const std::int64_t tile_begin = tile * pass.capacity;
        if (tile_begin >= pass.count) return;
        const bool last = tile_begin + pass.capacity >= pass.count;
        if (thread < 32) {
            Fragment own = {};
            if (thread < kWays) {
                const std::int64_t cut = ~boundaries[tile * kWays + thread];
                const std::int64_t next =
                    last ? order.found->lengths[thread] : ~boundaries[(tile + 1) * kWays + thread];
                own = {order.found->begins[thread] + cut, next - cut, tile_begin};
            }
            fetch_fragments(from, own, s_keys, s_tile, s_arrived);
        }
    }
    Key own[kKeys];
    sized::merge_fragments<kWays>(s_keys, s_tile, s_arrived, own);
    const int count = s_tile.starts[kWays];
    if (!is_found && samples != nullptr && (thread + 1) * kKeys <= count) {
        samples[s_tile.samples + thread] = own[kKeys - 1];
    }
    store_bulk(to + s_tile.result, s_keys, count);
}

}  // namespace mergesort::natural
