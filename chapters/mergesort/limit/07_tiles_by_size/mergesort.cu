// SPDX-License-Identifier: MIT
// Merge sort, stage limit/07: tiles by size.
// Idea: with few keys, latency decides: a thread works alone on its keys, and most multiprocessors
// have no tile. So the keys per thread follow n, both of the sort of tiles and of the merges. The
// block that merges a tile also searches the cuts of both its ends, with all its threads at once:
// a few rounds of one load per thread, in place of long chains of loads in a launch before it. A
// pass merges 16 runs where that saves a pass.
// Compared with limit/06_bulk_tiles: the choice of sizes (sizes.cuh), cut_and_merge_kernel, and its
// kernels for any keys per thread (blocks/sized_tiles). Long lists are sorted as there.
// Limit now: with few keys, the launches and the latency of shared memory; with many, as before.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "blocks/bulk_copies/bulk_copies.cuh"
#include "blocks/multiway_cuts/block_cuts.cuh"
#include "blocks/multiway_cuts/sampled_cuts.cuh"
#include "blocks/sized_tiles/sized_merge.cuh"
#include "blocks/sized_tiles/sized_passes.cuh"
#include "blocks/sized_tiles/sized_sort.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/shared_memory.hpp"
#include "limit/07_tiles_by_size/sizes.cuh"
#include "problem/mergesort.hpp"
#include "problem/multisort.hpp"
#include "problem/multiway.hpp"

using course::cuda_check;
using mergesort::Input, mergesort::Key, mergesort::Output, mergesort::Phase, mergesort::PhaseTimer;
using mergesort::Pass, mergesort::PassLists;
using mergesort::sized::kMergeBytes, mergesort::sized::kThreads;

// One block per tile of the result, which searches its two boundaries itself.
template <int kWays, int kKeys>
__global__ void __launch_bounds__(kThreads, mergesort::sized::kBlocks)
    cut_and_merge_kernel(const Key* __restrict__ from, Key* __restrict__ to, Pass pass) {
    extern __shared__ __align__(16) Key s_keys[];
    __shared__ mergesort::sized::Tile<kWays, kKeys> s_tile;
    __shared__ mergesort::SideCuts<kWays, kThreads> s_sides[2];
    __shared__ std::uint64_t s_arrived;
    const int thread = threadIdx.x, side = thread / (kThreads / 2), run = thread % (kThreads / 2);
    const std::int64_t group = blockIdx.x / pass.tiles_per_group * kWays * pass.run;
    const std::int64_t begin = group + run * pass.run;
    const std::int64_t tile_begin = blockIdx.x % pass.tiles_per_group * pass.capacity;
    const std::int64_t rank =
        min(tile_begin + side * pass.capacity, min(pass.count - group, kWays * pass.run));
    const std::int64_t length = min(max(pass.count - begin, std::int64_t{0}), pass.run);
    mergesort::cut_sides<kWays>(from, begin, static_cast<int>(length), static_cast<int>(rank),
                                s_sides);
    if (thread < 32) {
        mergesort::Fragment fragment = {};
        if (thread < kWays) {
            const int cut = s_sides[0].cuts[thread];
            fragment = {begin + cut, s_sides[1].cuts[thread] - cut, group + tile_begin};
        }
        mergesort::fetch_fragments(from, fragment, s_keys, s_tile, s_arrived);
    }
    Key own[kKeys];
    mergesort::sized::merge_fragments<kWays>(s_keys, s_tile, s_arrived, own);
    mergesort::store_bulk(to + s_tile.result, s_keys, s_tile.starts[kWays]);
}

// The launches of a pass, with so many ways and keys per thread.
template <int kWays, int kKeys>
void cut_and_merge(const PassLists& lists, const Pass& pass) {
    constexpr std::size_t kBytes = kMergeBytes<kWays, kKeys>;
    cut_and_merge_kernel<kWays, kKeys>
        <<<mergesort::blocks_for(pass.tiles, 1), kThreads, kBytes>>>(lists.from, lists.to, pass);
    cuda_check(cudaGetLastError());
}

template <int kWays, int kKeys>
void merge_with_samples(const PassLists& lists, const Pass& pass) {
    constexpr std::size_t kBytes = kMergeBytes<kWays, kKeys>;
    mergesort::find_sampled_cuts_kernel<kWays, kKeys>
        <<<mergesort::blocks_for(pass.tiles * kWays, kThreads), kThreads>>>(
            lists.from, lists.samples, pass, 0, pass.tiles, lists.boundaries);
    cuda_check(cudaGetLastError());
    mergesort::sized::merge_tiles_kernel<kWays, kKeys>
        <<<mergesort::blocks_for(pass.tiles, 1), kThreads, kBytes>>>(
            lists.from, lists.to, lists.result_samples, pass, lists.boundaries);
    cuda_check(cudaGetLastError());
}

// For merges_of().
struct Launches {
    using Merge = void (*)(const PassLists&, const Pass&);

    template <int kWays, int kKeys>
    static Merge own_cuts() {
        course::allow_dynamic_shared(cut_and_merge_kernel<kWays, kKeys>, kMergeBytes<kWays, kKeys>);
        return cut_and_merge<kWays, kKeys>;
    }
    template <int kWays, int kKeys>
    static Merge with_samples() {
        course::allow_dynamic_shared(mergesort::sized::merge_tiles_kernel<kWays, kKeys>,
                                     kMergeBytes<kWays, kKeys>);
        return merge_with_samples<kWays, kKeys>;
    }
};

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const mergesort::SizedPlan plan(input);
    const std::size_t passes = plan.passes.size();
    timer.begin(Phase::kSetup);
    mergesort::SizedLists lists(plan);
    const auto sort_tiles = plan.sizes.sort_keys == 9    ? mergesort::sized::sort_tiles_kernel<9>
                            : plan.sizes.sort_keys == 17 ? mergesort::sized::sort_tiles_kernel<17>
                                                         : mergesort::sized::sort_tiles_kernel<33>;
    course::allow_dynamic_shared(sort_tiles, plan.sort_bytes);
    const std::vector<Launches::Merge> merges = mergesort::merges_of<Launches>(plan);

    timer.begin(Phase::kCopyIn);
    lists.copy_in(input);

    timer.begin(Phase::kKernels);
    sort_tiles<<<plan.tiles, kThreads, plan.sort_bytes>>>(lists.from(), plan.count);
    cuda_check(cudaGetLastError());
    for (std::size_t i = 0; i < passes; ++i) {
        merges[i](lists.of_pass(i, passes), plan.passes[i]);
        lists.swap();
    }

    timer.begin(Phase::kCopyOut);
    lists.copy_out(output);
    timer.end();
    timer.note_grid(plan.tiles, kThreads);
    // All keys are read and written by the sort of the tiles and by each pass.
    timer.declare_work({.bytes = 2.0 * sizeof(Key) * plan.count * (1.0 + passes)});
}

int main(int argc, char** argv) {
    return mergesort::run_stage(argc, argv, STAGE_NAME, sort_keys, mergesort::largest_sampled_n,
                                mergesort::size_options(), mergesort::kSampledBytesPerKey);
}
