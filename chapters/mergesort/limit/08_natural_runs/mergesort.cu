// SPDX-License-Identifier: MIT
// Merge sort, stage limit/08: the runs that are there.
// Idea: the sort of tiles sees all keys anyway. It notes for each tile whether its keys go up, or
// down, to the first key of the next one; such a tile needs no sort. Before it searches cuts, the
// first pass reads these notes. If the list is sorted, there is nothing to do. If it goes down, the
// tiles change places. If it has few runs, the first pass merges them, of any lengths, at once. All
// other passes then find that nothing is left.
// Compared with limit/07_tiles_by_size: the sort of tiles and its notes (blocks/natural_runs), and
// the kernels of a pass (run_merge.cuh).
// Limit now: as before; and for a list that is sorted, memory.
// Not of the thesis. Merge sorts that look for runs: Knuth 1973, section 5.2.4.
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "blocks/bulk_copies/bulk_copies.cuh"
#include "blocks/natural_runs/found_runs.cuh"
#include "blocks/natural_runs/run_sort.cuh"
#include "blocks/sized_tiles/sized_merge.cuh"
#include "blocks/sized_tiles/sized_sort.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/shared_memory.hpp"
#include "limit/07_tiles_by_size/sizes.cuh"
#include "limit/08_natural_runs/run_merge.cuh"
#include "problem/mergesort.hpp"
#include "problem/multisort.hpp"
#include "problem/multiway.hpp"

using course::cuda_check, course::DeviceBuffer;
using mergesort::Input, mergesort::Key, mergesort::Output, mergesort::Phase, mergesort::PhaseTimer;
using mergesort::Pass, mergesort::Sizes, mergesort::natural::PassOrder, mergesort::sized::kThreads;

// With fewer keys, the look costs more than 2 %.
constexpr std::int64_t kLeastKeys = 1 << 20;

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
void cut_and_merge(const PassLists& lists, const Pass& pass, const PassOrder& order) {
    constexpr std::size_t kBytes = mergesort::sized::kMergeBytes<kWays, kKeys>;
    mergesort::natural::cut_and_merge_kernel<kWays, kKeys>
        <<<mergesort::blocks_for(pass.tiles, 1), kThreads, kBytes>>>(lists.from, lists.to, pass,
                                                                     order);
    cuda_check(cudaGetLastError());
}

template <int kWays, int kKeys>
void merge_with_samples(const PassLists& lists, const Pass& pass, const PassOrder& order) {
    constexpr std::size_t kBytes = mergesort::sized::kMergeBytes<kWays, kKeys>;
    mergesort::natural::find_run_cuts_kernel<kWays, kKeys>
        <<<mergesort::blocks_for(pass.tiles * kWays, kThreads), kThreads>>>(
            lists.from, lists.samples, pass, order, lists.boundaries);
    cuda_check(cudaGetLastError());
    mergesort::natural::merge_tiles_kernel<kWays, kKeys>
        <<<mergesort::blocks_for(pass.tiles, 1), kThreads, kBytes>>>(
            lists.from, lists.to, lists.result_samples, pass, order, lists.boundaries);
    cuda_check(cudaGetLastError());
}

using Merge = void (*)(const PassLists&, const Pass&, const PassOrder&);

// Also allows its kernel the shared memory of a tile.
template <int kWays>
Merge merge_for(const Sizes& sizes) {
    const auto own = [](auto* kernel, std::size_t bytes, Merge merge) {
        course::allow_dynamic_shared(kernel, bytes);
        return merge;
    };
    using mergesort::sized::kMergeBytes, mergesort::natural::cut_and_merge_kernel,
        mergesort::natural::merge_tiles_kernel;
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

const char* order_found(const DeviceBuffer<mergesort::natural::FoundRuns>& d_found) {
    mergesort::natural::Order order = {};
    cuda_check(cudaMemcpy(&order, &d_found.data()->order, sizeof(order), cudaMemcpyDeviceToHost));
    switch (order) {
        case mergesort::natural::Order::kSorted:
            return "sorted";
        case mergesort::natural::Order::kDown:
            return "down";
        case mergesort::natural::Order::kRuns:
            return "runs";
        default:
            return "none";
    }
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    const Sizes sizes = mergesort::choose_sizes(count, input.options);
    const std::int64_t tile_keys = mergesort::sized::tile_keys(sizes.sort_keys);
    const int tiles = mergesort::blocks_for(count, tile_keys);
    const std::vector<Pass> passes =
        mergesort::plan_bulk_passes(count, tile_keys, sizes.ways, kThreads, sizes.merge_keys);
    const std::int64_t natural = input.options.integer("--natural");
    const bool looks = natural == 1 || (natural == 0 && count > kLeastKeys);
    timer.begin(Phase::kSetup);
    // Bulk copies may reach a little beyond the last key.
    DeviceBuffer<Key> d_from(mergesort::whole_bulks(count)), d_to(mergesort::whole_bulks(count));
    DeviceBuffer<Key> d_samples(sizes.own_cuts ? 0 : mergesort::samples_at(count));
    DeviceBuffer<std::int64_t> d_boundaries(sizes.own_cuts ? 0
                                                           : mergesort::most_boundaries(passes));
    DeviceBuffer<unsigned char> d_tile_orders(looks ? tiles : 0);
    DeviceBuffer<mergesort::natural::FoundRuns> d_found(looks ? 1 : 0);
    const auto sort_tiles = sizes.sort_keys == 9    ? mergesort::natural::sort_tiles_kernel<9>
                            : sizes.sort_keys == 17 ? mergesort::natural::sort_tiles_kernel<17>
                                                    : mergesort::natural::sort_tiles_kernel<33>;
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
    sort_tiles<<<tiles, kThreads, sort_bytes>>>(d_from.data(), d_to.data(), count,
                                                d_tile_orders.data());
    cuda_check(cudaGetLastError());
    std::swap(d_from, d_to);
    for (std::size_t i = 0; i < passes.size(); ++i) {
        // The runs of the first pass are so short that they need no samples.
        merges[i]({d_from.data(), d_to.data(), i == 0 ? nullptr : d_samples.data(),
                   i + 1 == passes.size() ? nullptr : d_samples.data(), d_boundaries.data()},
                  passes[i],
                  {d_tile_orders.data(), d_found.data(), tile_keys, i == 0,
                   i == 1 && passes.size() % 2 == 0});
        std::swap(d_from, d_to);
    }

    timer.begin(Phase::kCopyOut);
    cuda_check(cudaMemcpy(output.keys.data(), d_from.data(), input.keys.size_bytes(),
                          cudaMemcpyDeviceToHost));
    timer.end();
    if (looks && !passes.empty()) output.report.push_back({"order", order_found(d_found)});
    timer.note_grid(tiles, kThreads);
    // If the list is sorted, only the sort of the tiles reads and writes all keys.
    timer.declare_work({.bytes = 2.0 * sizeof(Key) * count});
}

int main(int argc, char** argv) {
    std::vector<mergesort::Option> options = mergesort::size_options();
    options.push_back({"--natural", "1: look for runs; 2: do not; 0: by n", 0, 0, 2});
    return mergesort::run_stage(argc, argv, STAGE_NAME, sort_keys, mergesort::largest_sampled_n,
                                options, mergesort::kSampledBytesPerKey);
}
