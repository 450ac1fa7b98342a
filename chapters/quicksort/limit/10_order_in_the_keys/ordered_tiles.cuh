// SPDX-License-Identifier: MIT
// The partition of lists in which there may be order, and the sort of a list that is one leaf.
#pragma once

#include <cuda_runtime.h>

#include "blocks/levels/level_sort.cuh"
#include "limit/01_multiway_partition/multiway.cuh"
#include "limit/06_twin_splitters/sub_bucket_leaves.cuh"
#include "limit/07_one_pass/levels.cuh"
#include "limit/09_two_pipes/long_tiles.cuh"
#include "limit/09_two_pipes/two_pipes.cuh"
#include "limit/10_order_in_the_keys/key_order.cuh"
#include "limit/10_order_in_the_keys/run_tree.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

template <int kBits, int kKeys>
static __global__ void __launch_bounds__(kThreads, 2)
    partition_ordered_kernel(Level level, KeyOrder order) {
    if (level.tiles == nullptr && order.in_order()) return;  // the first level of an ordered list
    partition_tile<kBits, kKeys, RunTree>(level);
}

template <int kKeys>
struct OrderedTiles {
    FirstLook& look;

    template <typename Bits>
    void operator()(Bits, const Level& level, unsigned tiles) const {
        constexpr int kBits = Bits::value, kBytes = kRunBytes<kBits, kKeys>;
        const auto kernel = partition_ordered_kernel<kBits, kKeys>;
        allow_shared_bytes(kernel, kBytes);
        kernel<<<tiles, kThreads, kBytes>>>(level, look.order());
    }
};

static __global__ void __launch_bounds__(kLeafThreads, 3)
    sort_one_leaf_kernel(const Key* from, int count, Key* sorted) {
    extern __shared__ __align__(16) Key s_keys[];
    sort_leaf<RunTree, TwoPipes, true>(from, count, s_keys, sorted);
}

}  // namespace quicksort
