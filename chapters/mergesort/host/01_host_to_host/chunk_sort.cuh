// SPDX-License-Identifier: MIT
// The sort of limit/05_odd_windows on a stream, for chunks of a list.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/shared_memory.hpp"
#include "common/cuda/stream.hpp"
#include "limit/05_odd_windows/odd_merge.cuh"
#include "problem/mergesort.hpp"
#include "problem/multisort.hpp"
#include "problem/multiway.hpp"

namespace mergesort {

// The copy of so many keys takes as long as their sort. Shorter chunks would fall behind.
inline constexpr std::int64_t kLeastChunk = 3 << 20;

// most_chunks: 0 for as many as keep up.
inline std::vector<std::int64_t> chunk_sizes(std::int64_t count, std::int64_t most_chunks) {
    return most_chunks > 0 ? plan_chunks(count, most_chunks, 1, odd::kTileKeys)
                           : plan_chunks(count, 16, kLeastChunk, odd::kTileKeys);
}

inline void wait_for(const course::Stream& stream, const course::Event& event) {
    course::cuda_check(cudaStreamWaitEvent(stream.get(), event.get(), 0));
}

// Before launch_chunk_sort.
inline void allow_chunk_sorts() {
    course::allow_dynamic_shared(odd::sort_tiles_kernel, odd::kSharedBytes);
    course::allow_dynamic_shared(odd::merge_tiles_kernel<2>, odd::kSharedBytes);
    course::allow_dynamic_shared(odd::merge_tiles_kernel<4>, odd::kSharedBytes);
    course::allow_dynamic_shared(odd::merge_tiles_kernel<8>, odd::kSharedBytes);
}

// Until there are runs of `aim` keys, or one.
inline std::vector<Pass> chunk_passes(std::int64_t count, std::int64_t aim) {
    return plan_passes(count, odd::kTileKeys, 8, odd::kThreads, odd::kKeys, 2, aim);
}

// Sorts a chunk by these passes, which swap the lists: after an odd number of them the result is in
// `buffer`. boundaries: for each pass, at most 16 per tile of the chunk and two more tiles.
inline void launch_chunk_sort(Key* keys, Key* buffer, std::int64_t count,
                              const std::vector<Pass>& passes, std::int64_t* boundaries,
                              cudaStream_t stream) {
    odd::sort_tiles_kernel<<<blocks_for(count, odd::kTileKeys), odd::kThreads, odd::kSharedBytes,
                             stream>>>(keys, count);
    course::cuda_check(cudaGetLastError());
    for (const Pass& pass : passes) {
        const auto launch = pass.ways == 8   ? odd::launch_pass<8>
                            : pass.ways == 4 ? odd::launch_pass<4>
                                             : odd::launch_pass<2>;
        launch(keys, buffer, pass, boundaries, stream);
        std::swap(keys, buffer);
    }
}

}  // namespace mergesort
