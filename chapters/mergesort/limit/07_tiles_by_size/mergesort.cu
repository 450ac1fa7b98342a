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
#include <utility>
#include <vector>

#include "blocks/bulk_copies/bulk_copies.cuh"
#include "blocks/multiway_cuts/block_cuts.cuh"
#include "blocks/multiway_cuts/sampled_cuts.cuh"
#include "blocks/sized_tiles/sized_merge.cuh"
#include "blocks/sized_tiles/sized_sort.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/shared_memory.hpp"
#include "limit/07_tiles_by_size/sizes.cuh"
#include "problem/mergesort.hpp"
#include "problem/multisort.hpp"
#include "problem/multiway.hpp"

using course::cuda_check, course::DeviceBuffer;
using mergesort::Input, mergesort::Key, mergesort::Output, mergesort::Phase, mergesort::PhaseTimer;
using mergesort::Pass, mergesort::Sizes, mergesort::sized::kThreads;

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

// What a pass reads and writes. samples: of `from`, or nullptr; result_samples: of `to`, likewise.
struct PassLists {
    const Key* from;
    Key* to;
    const Key* samples;
    Key* result_samples;
    std::int64_t* boundaries;
};

// A kernel for a pass with so many ways and keys per thread, and what launches it.
template <int kWays, int kKeys>
void cut_and_merge(const PassLists& lists, const Pass& pass) {
    constexpr std::size_t kBytes = mergesort::sized::kMergeBytes<kWays, kKeys>;
    cut_and_merge_kernel<kWays, kKeys>
        <<<mergesort::blocks_for(pass.tiles, 1), kThreads, kBytes>>>(lists.from, lists.to, pass);
    cuda_check(cudaGetLastError());
}

template <int kWays, int kKeys>
void merge_with_samples(const PassLists& lists, const Pass& pass) {
    constexpr std::size_t kBytes = mergesort::sized::kMergeBytes<kWays, kKeys>;
    mergesort::find_sampled_cuts_kernel<kWays, kKeys>
        <<<mergesort::blocks_for(pass.tiles * kWays, kThreads), kThreads>>>(
            lists.from, lists.samples, pass, 0, pass.tiles, lists.boundaries);
    cuda_check(cudaGetLastError());
    mergesort::sized::merge_tiles_kernel<kWays, kKeys>
        <<<mergesort::blocks_for(pass.tiles, 1), kThreads, kBytes>>>(
            lists.from, lists.to, lists.result_samples, pass, lists.boundaries);
    cuda_check(cudaGetLastError());
}

using Merge = void (*)(const PassLists&, const Pass&);

// Also allows its kernel the shared memory of a tile.
template <int kWays>
Merge merge_for(const Sizes& sizes) {
    const auto own = [](auto* kernel, std::size_t bytes, Merge merge) {
        course::allow_dynamic_shared(kernel, bytes);
        return merge;
    };
    using namespace mergesort::sized;
    if (!sizes.own_cuts) {
        return own(merge_tiles_kernel<kWays, 49>, kMergeBytes<kWays, 49>,
                   merge_with_samples<kWays, 49>);
    }
    switch (sizes.merge_keys) {
        case 17:
            return own(cut_and_merge_kernel<kWays, 17>, kMergeBytes<kWays, 17>,
                       cut_and_merge<kWays, 17>);
        case 33:
            return own(cut_and_merge_kernel<kWays, 33>, kMergeBytes<kWays, 33>,
                       cut_and_merge<kWays, 33>);
        default:
            return own(cut_and_merge_kernel<kWays, 49>, kMergeBytes<kWays, 49>,
                       cut_and_merge<kWays, 49>);
    }
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    const Sizes sizes = mergesort::choose_sizes(count, input.options);
    const std::int64_t tile_keys = mergesort::sized::tile_keys(sizes.sort_keys);
    const int tiles = mergesort::blocks_for(count, tile_keys);
    const std::vector<Pass> passes =
        mergesort::plan_bulk_passes(count, tile_keys, sizes.ways, kThreads, sizes.merge_keys);
    timer.begin(Phase::kSetup);
    // Bulk copies may reach a little beyond the last key.
    DeviceBuffer<Key> d_from(mergesort::whole_bulks(count)), d_to(mergesort::whole_bulks(count));
    DeviceBuffer<Key> d_samples(sizes.own_cuts ? 0 : mergesort::samples_at(count));
    DeviceBuffer<std::int64_t> d_boundaries(sizes.own_cuts ? 0
                                                           : mergesort::most_boundaries(passes));
    const auto sort_tiles = sizes.sort_keys == 9    ? mergesort::sized::sort_tiles_kernel<9>
                            : sizes.sort_keys == 17 ? mergesort::sized::sort_tiles_kernel<17>
                                                    : mergesort::sized::sort_tiles_kernel<33>;
    const int sort_bytes = mergesort::sized::sort_bytes(sizes.sort_keys);
    course::allow_dynamic_shared(sort_tiles, sort_bytes);
    std::vector<Merge> merges;
    for (const Pass& pass : passes) {
        merges.push_back(pass.ways == 16  ? merge_for<16>(sizes)
                         : pass.ways == 8 ? merge_for<8>(sizes)
                         : pass.ways == 4 ? merge_for<4>(sizes)
                                          : merge_for<2>(sizes));
    }

    timer.begin(Phase::kCopyIn);
    cuda_check(cudaMemcpy(d_from.data(), input.keys.data(), input.keys.size_bytes(),
                          cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    sort_tiles<<<tiles, kThreads, sort_bytes>>>(d_from.data(), count);
    cuda_check(cudaGetLastError());
    for (std::size_t i = 0; i < passes.size(); ++i) {
        // The runs of the first pass are so short that they need no samples.
        merges[i]({d_from.data(), d_to.data(), i == 0 ? nullptr : d_samples.data(),
                   i + 1 == passes.size() ? nullptr : d_samples.data(), d_boundaries.data()},
                  passes[i]);
        std::swap(d_from, d_to);
    }

    timer.begin(Phase::kCopyOut);
    cuda_check(cudaMemcpy(output.keys.data(), d_from.data(), input.keys.size_bytes(),
                          cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid(tiles, kThreads);
    // All keys are read and written by the sort of the tiles and by each pass.
    timer.declare_work({.bytes = 2.0 * sizeof(Key) * count * (1.0 + passes.size())});
}

int main(int argc, char** argv) {
    return mergesort::run_stage(argc, argv, STAGE_NAME, sort_keys, mergesort::largest_sampled_n,
                                mergesort::size_options(), mergesort::kSampledBytesPerKey);
}
