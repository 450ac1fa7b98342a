// SPDX-License-Identifier: MIT
// Lists of the second level on many GPUs: each lies in pieces, one from each rank.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/levels/region_leaves.cuh"
#include "common/cuda/cuda_check.hpp"
#include "limit/01_multiway_partition/multiway.cuh"
#include "limit/07_one_pass/levels.cuh"
#include "problem/quicksort.hpp"
#include "problem/rank_cuts.hpp"

namespace quicksort {

// The list of this block and its pieces, in shared memory.
struct ListPieces {
    LevelList list;
    Piece pieces[kMostRanks];
    int count;

    // Ends with a barrier.
    __device__ __forceinline__ void load(const Level& level, const Piece* all, int ranks) {
        const int thread = threadIdx.x;
        if (thread == 0) list = level.lists[blockIdx.x], count = ranks;
        if (thread < ranks) pieces[thread] = all[std::int64_t{blockIdx.x} * ranks + thread];
        __syncthreads();
    }

    // The first key of a piece, counted within the list.
    __device__ __forceinline__ unsigned begin(int piece) const {
        return piece > 0 ? pieces[piece - 1].end : 0;
    }

    // Where key `i` of the list is.
    __device__ __forceinline__ std::int64_t place(std::int64_t i) const {
        int piece = 0;
        for (int step = kMostRanks / 2; step > 0; step /= 2) {  // bisection
            if (piece + step < count && pieces[piece + step - 1].end <= i) piece += step;
        }
        return pieces[piece].shift + i;
    }
};

// The lists of one group, as the kernels see them.
struct ListGroup {
    Level level, before;  // of `before`, only the splitters
    const Piece* pieces;
    unsigned tiles, leaf_count;
    RegionLeaves leaves;
};

// One block per list: its keys go one behind the other to `to`, where it begins in the sorted list.
static __global__ void __launch_bounds__(kThreads)
    join_pieces_kernel(Level level, Level before, const Piece* __restrict__ pieces, int ranks,
                       Key* __restrict__ to) {
    __shared__ ListPieces s_pieces;
    s_pieces.load(level, pieces, ranks);
    const LevelList& list = s_pieces.list;
    const Key constant = before.splitters[blockIdx.x];
    for (std::int64_t i = threadIdx.x; i < list.count; i += kThreads) {
        to[list.begin + i] = list.constant ? constant : level.from[s_pieces.place(i)];
    }
}

inline void queue_join(const ListGroup& group, int ranks, Key* to) {
    join_pieces_kernel<<<group.level.list_count, kThreads>>>(group.level, group.before,
                                                             group.pieces, ranks, to);
    course::cuda_check(cudaGetLastError());
}

}  // namespace quicksort
