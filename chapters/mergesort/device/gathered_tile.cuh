// SPDX-License-Identifier: MIT
// A tile whose fragments are merged by gathering (device/conflict_free.cuh). From stage 16 on.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/multiway_tile.cuh"
#include "problem/mergesort.hpp"
#include "problem/multiway.hpp"

namespace mergesort {

// In shared memory each fragment has a multiple of kKeysPerThread keys: copies of the largest key
// follow its own. Those at even places lie forwards, the others backwards.
template <int kWays>
struct GatheredTile {
    const Key* sources[kWays];
    Key* result;
    int count;  // keys of the result
    int lengths[kWays];  // of the fragments, without the copies
    int starts[kWays + 1];  // of the fragments in shared memory
};

// The first kWays threads call. boundaries: see find_cuts_kernel.
template <int kWays>
__device__ __forceinline__ void describe_tile(const Key* from, Key* to, const Pass& pass,
                                              const std::int64_t* boundaries, std::int64_t tile,
                                              GatheredTile<kWays>& s_tile) {
    constexpr unsigned kMask = (1u << kWays) - 1;
    const int thread = threadIdx.x;
    const Fragment own = find_fragment<kWays>(pass, boundaries, tile);
    const int length = static_cast<int>(own.length);
    int end = rounded_up(length), keys = length;
    for (int distance = 1; distance < kWays; distance *= 2) {
        const int ends_before = __shfl_up_sync(kMask, end, distance);
        const int keys_before = __shfl_up_sync(kMask, keys, distance);
        if (thread >= distance) end += ends_before;
        if (thread >= distance) keys += keys_before;
    }
    s_tile.sources[thread] = from + own.begin;
    s_tile.lengths[thread] = length;
    s_tile.starts[thread + 1] = end;
    if (thread == 0) s_tile.starts[0] = 0;
    if (thread == 0) s_tile.result = to + own.tile_begin;
    if (thread == kWays - 1) s_tile.count = keys;
}

}  // namespace mergesort
