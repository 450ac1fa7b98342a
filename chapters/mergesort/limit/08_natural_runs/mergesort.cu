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
#include <vector>

#include "blocks/bulk_copies/bulk_copies.cuh"
#include "blocks/natural_runs/found_runs.cuh"
#include "blocks/natural_runs/run_sort.cuh"
#include "blocks/sized_tiles/sized_merge.cuh"
#include "blocks/sized_tiles/sized_passes.cuh"
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
using mergesort::Pass, mergesort::PassLists, mergesort::natural::PassOrder;
using mergesort::sized::kMergeBytes, mergesort::sized::kThreads;

// With fewer keys, the look costs more than 2 %.
constexpr std::int64_t kLeastKeys = 1 << 20;

// The launches of a pass, with so many ways and keys per thread.
template <int kWays, int kKeys>
void cut_and_merge(const PassLists& lists, const Pass& pass, const PassOrder& order) {
    constexpr std::size_t kBytes = kMergeBytes<kWays, kKeys>;
    mergesort::natural::cut_and_merge_kernel<kWays, kKeys>
        <<<mergesort::blocks_for(pass.tiles, 1), kThreads, kBytes>>>(lists.from, lists.to, pass,
                                                                     order);
    cuda_check(cudaGetLastError());
}

template <int kWays, int kKeys>
void merge_with_samples(const PassLists& lists, const Pass& pass, const PassOrder& order) {
    constexpr std::size_t kBytes = kMergeBytes<kWays, kKeys>;
    mergesort::natural::find_run_cuts_kernel<kWays, kKeys>
        <<<mergesort::blocks_for(pass.tiles * kWays, kThreads), kThreads>>>(
            lists.from, lists.samples, pass, order, lists.boundaries);
    cuda_check(cudaGetLastError());
    mergesort::natural::merge_tiles_kernel<kWays, kKeys>
        <<<mergesort::blocks_for(pass.tiles, 1), kThreads, kBytes>>>(
            lists.from, lists.to, lists.result_samples, pass, order, lists.boundaries);
    cuda_check(cudaGetLastError());
}

// For merges_of().
struct Launches {
    using Merge = void (*)(const PassLists&, const Pass&, const PassOrder&);

    template <int kWays, int kKeys>
    static Merge own_cuts() {
        course::allow_dynamic_shared(mergesort::natural::cut_and_merge_kernel<kWays, kKeys>,
                                     kMergeBytes<kWays, kKeys>);
        return cut_and_merge<kWays, kKeys>;
    }
    template <int kWays, int kKeys>
    static Merge with_samples() {
        course::allow_dynamic_shared(mergesort::natural::merge_tiles_kernel<kWays, kKeys>,
                                     kMergeBytes<kWays, kKeys>);
        return merge_with_samples<kWays, kKeys>;
    }
};

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
    const mergesort::SizedPlan plan(input);
    const std::size_t passes = plan.passes.size();
    const std::int64_t natural = input.options.integer("--natural");
    const bool looks = natural == 1 || (natural == 0 && plan.count > kLeastKeys);
    timer.begin(Phase::kSetup);
    mergesort::SizedLists lists(plan);
    DeviceBuffer<unsigned char> d_tile_orders(looks ? plan.tiles : 0);
    DeviceBuffer<mergesort::natural::FoundRuns> d_found(looks ? 1 : 0);
    const auto sort_tiles = plan.sizes.sort_keys == 9 ? mergesort::natural::sort_tiles_kernel<9>
                            : plan.sizes.sort_keys == 17
                                ? mergesort::natural::sort_tiles_kernel<17>
                                : mergesort::natural::sort_tiles_kernel<33>;
    course::allow_dynamic_shared(sort_tiles, plan.sort_bytes);
    const std::vector<Launches::Merge> merges = mergesort::merges_of<Launches>(plan);

    timer.begin(Phase::kCopyIn);
    lists.copy_in(input);

    timer.begin(Phase::kKernels);
    sort_tiles<<<plan.tiles, kThreads, plan.sort_bytes>>>(lists.from(), lists.to(), plan.count,
                                                          d_tile_orders.data());
    cuda_check(cudaGetLastError());
    lists.swap();
    for (std::size_t i = 0; i < passes; ++i) {
        merges[i](lists.of_pass(i, passes), plan.passes[i],
                  {d_tile_orders.data(), d_found.data(), plan.tile_keys, i == 0,
                   i == 1 && passes % 2 == 0});
        lists.swap();
    }

    timer.begin(Phase::kCopyOut);
    lists.copy_out(output);
    timer.end();
    if (looks && passes > 0) output.report.push_back({"order", order_found(d_found)});
    timer.note_grid(plan.tiles, kThreads);
    // If the list is sorted, only the sort of the tiles reads and writes all keys.
    timer.declare_work({.bytes = 2.0 * sizeof(Key) * plan.count});
}

int main(int argc, char** argv) {
    std::vector<mergesort::Option> options = mergesort::size_options();
    options.push_back({"--natural", "1: look for runs; 2: do not; 0: by n", 0, 0, 2});
    return mergesort::run_stage(argc, argv, STAGE_NAME, sort_keys, mergesort::largest_sampled_n,
                                options, mergesort::kSampledBytesPerKey);
}
