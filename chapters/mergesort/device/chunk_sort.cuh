// SPDX-License-Identifier: MIT
// The sort of stage 14 on a stream, for chunks of a list. For stage 18.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/shared_memory.hpp"
#include "device/multiway_boundaries.cuh"
#include "device/multiway_merge.cuh"
#include "device/tile_merge.cuh"
#include "problem/mergesort.hpp"
#include "problem/multisort.hpp"
#include "problem/multiway.hpp"

namespace mergesort {

inline constexpr std::size_t kTileBytes = kSharedKeys * sizeof(Key);

template <int kWays>
void launch_pass(const Key* from, Key* to, const Pass& pass, std::int64_t* boundaries,
                 cudaStream_t stream) {
    find_cuts_kernel<kWays>
        <<<blocks_for(pass.tiles * kWays, kThreads), kThreads, 0, stream>>>(from, pass, boundaries);
    course::cuda_check(cudaGetLastError());
    merge_tiles_kernel<kWays>
        <<<blocks_for(pass.tiles, 1), kThreads, kTileBytes, stream>>>(from, to, pass, boundaries);
    course::cuda_check(cudaGetLastError());
}

// Sorts chunks of at most chunk_keys() keys, all in as many passes, so that all end in the same
// list.
class ChunkSort {
  public:
    // At least so many keys per chunk: chunks are whole tiles.
    explicit ChunkSort(std::int64_t keys)
        : chunk_keys_((keys - 1) / kTile * kTile + kTile),
          passes_(plan_passes(chunk_keys_, kTile, 8, kThreads, kKeysPerThread)) {
        course::allow_dynamic_shared(sort_tiles_kernel<kThreads>, kTileBytes);
        course::allow_dynamic_shared(merge_tiles_kernel<2>, kTileBytes);
        course::allow_dynamic_shared(merge_tiles_kernel<4>, kTileBytes);
        course::allow_dynamic_shared(merge_tiles_kernel<8>, kTileBytes);
    }

    std::int64_t chunk_keys() const { return chunk_keys_; }
    int passes() const { return static_cast<int>(passes_.size()); }
    bool ends_in_buffer() const { return passes() % 2 == 1; }

    // boundaries: for each pass, at most 16 per tile of the chunk and two more tiles.
    void launch(Key* keys, Key* buffer, std::int64_t count, std::int64_t* boundaries,
                cudaStream_t stream) const {
        sort_tiles_kernel<kThreads>
            <<<blocks_for(count, kTile), kThreads, kTileBytes, stream>>>(keys, count);
        course::cuda_check(cudaGetLastError());
        Key *from = keys, *to = buffer;
        for (const Pass& plan : passes_) {
            const Pass pass = make_pass(count, plan.run, plan.ways, kThreads, kKeysPerThread);
            const auto launch = plan.ways == 8   ? launch_pass<8>
                                : plan.ways == 4 ? launch_pass<4>
                                                 : launch_pass<2>;
            launch(from, to, pass, boundaries, stream);
            std::swap(from, to);
        }
    }

  private:
    static constexpr std::int64_t kTile = kThreads * kKeysPerThread;

    std::int64_t chunk_keys_;
    std::vector<Pass> passes_;
};

}  // namespace mergesort
