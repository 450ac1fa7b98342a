// SPDX-License-Identifier: MIT
// The sort of limit/07_tiles_by_size for long lists. It may end before one run is left.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "blocks/multiway_cuts/sampled_cuts.cuh"
#include "blocks/sized_tiles/sized_merge.cuh"
#include "blocks/sized_tiles/sized_sort.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/shared_memory.hpp"
#include "problem/mergesort.hpp"
#include "problem/multisort.hpp"
#include "problem/multiway.hpp"

namespace mergesort {

inline constexpr int kSortKeys = 33, kMergeKeys = 49;  // per thread
inline constexpr std::int64_t kLongTile = sized::tile_keys(kSortKeys);

// Until there are runs of `aim` keys, or one.
inline std::vector<Pass> long_passes(std::int64_t count, std::int64_t aim) {
    return plan_passes(count, kLongTile, 8, sized::kThreads, kMergeKeys, 2, aim, 4);
}

// Before launch_long_sort.
inline void allow_long_sort() {
    course::allow_dynamic_shared(sized::sort_tiles_kernel<kSortKeys>, sized::sort_bytes(kSortKeys));
    course::allow_dynamic_shared(sized::merge_tiles_kernel<2, kMergeKeys>,
                                 sized::kMergeBytes<2, kMergeKeys>);
    course::allow_dynamic_shared(sized::merge_tiles_kernel<4, kMergeKeys>,
                                 sized::kMergeBytes<4, kMergeKeys>);
    course::allow_dynamic_shared(sized::merge_tiles_kernel<8, kMergeKeys>,
                                 sized::kMergeBytes<8, kMergeKeys>);
}

// What the passes share. samples: as many as samples_at(keys).
struct LongScratch {
    Key* samples;
    std::int64_t* boundaries;
};

// samples: of `from`, or nullptr if the runs are short; result_samples: of `to`, or nullptr.
template <int kWays>
void launch_long_pass(const Key* from, Key* to, const Key* samples, Key* result_samples,
                      const Pass& pass, std::int64_t* boundaries) {
    constexpr std::size_t kBytes = sized::kMergeBytes<kWays, kMergeKeys>;
    find_sampled_cuts_kernel<kWays, kMergeKeys>
        <<<blocks_for(pass.tiles * kWays, sized::kThreads), sized::kThreads>>>(
            from, samples, pass, 0, pass.tiles, boundaries);
    course::cuda_check(cudaGetLastError());
    sized::merge_tiles_kernel<kWays, kMergeKeys>
        <<<blocks_for(pass.tiles, 1), sized::kThreads, kBytes>>>(from, to, result_samples, pass,
                                                                 boundaries);
    course::cuda_check(cudaGetLastError());
}

// Sorts by these passes, which swap the lists: after an odd number of them the result is in
// `buffer`. Both lists begin at multiples of 16 bytes.
inline void launch_long_sort(Key* keys, Key* buffer, std::int64_t count,
                             const std::vector<Pass>& passes, const LongScratch& scratch) {
    sized::sort_tiles_kernel<kSortKeys>
        <<<blocks_for(count, kLongTile), sized::kThreads, sized::sort_bytes(kSortKeys)>>>(keys,
                                                                                          count);
    course::cuda_check(cudaGetLastError());
    for (const Pass& pass : passes) {
        const auto launch = pass.ways == 8   ? launch_long_pass<8>
                            : pass.ways == 4 ? launch_long_pass<4>
                                             : launch_long_pass<2>;
        const bool first = &pass == &passes.front(), last = &pass == &passes.back();
        launch(keys, buffer, first ? nullptr : scratch.samples, last ? nullptr : scratch.samples,
               pass, scratch.boundaries);
        std::swap(keys, buffer);
    }
}

}  // namespace mergesort
