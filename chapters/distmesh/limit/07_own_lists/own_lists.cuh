// SPDX-License-Identifier: MIT
// The lists of a block's bars in shared memory.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "limit/07_own_lists/lanes.cuh"

namespace distmesh {

constexpr int kMostPoints = 512, kMostBars = 3072;  // of a block: 28 KB

struct SharedLists {
    int2 places[kMostPoints];  // of each point: where its bars begin and end
    int2 bars[kMostBars];  // the other end, and the entry of BarLists
    int used;  // of the bars
};

// The bars of a block's points.
struct OwnLists {
    const DeviceMesh& mesh;
    const BarLists& bars;
    const SharedLists& shared;
    int first, count;  // the points, the same ones in all iterations
    bool fit;  // else they are read as the kernels before listed them

    __device__ __forceinline__ int2 bar_of(int entry) const {
        const int2 ends = mesh.bars[entry < 0 ? ~entry : entry];
        return make_int2(entry < 0 ? ends.x : ends.y, entry);
    }

    __device__ __forceinline__ void visit_bars(const double2* points, int k,
                                               const auto& visit) const {
        const int end = fit ? shared.places[k].y : bars.ends[first + k];
        int place = fit ? shared.places[k].x : bars.begins[first + k];
        place += static_cast<int>(threadIdx.x) % kLanes;
        for (; place < end; place += kTogether * kLanes) {
            int entries[kTogether];
            double2 others[kTogether];
#pragma unroll
            for (int n = 0; n < kTogether; ++n) {
                const int at = min(place + n * kLanes, end - 1);
                const int2 bar = fit ? shared.bars[at] : bar_of(bars.list[at]);
                entries[n] = bar.y;
                others[n] = points[bar.x];
            }
#pragma unroll
            for (int n = 0; n < kTogether; ++n) {
                if (place + n * kLanes < end) visit(others[n], entries[n]);
            }
        }
    }
};

// One thread copies the list of a point. Where in shared memory depends on the order of the
// threads, but the order of a point's bars does not.
__device__ __forceinline__ OwnLists own_lists(const DeviceMesh& mesh, const BarLists& bars,
                                              SharedLists& s_lists) {
    const int count = static_cast<int>(mesh.count), block = blockIdx.x, blocks = gridDim.x;
    const int each = (count - 1) / blocks + 1, first = min(block * each, count);
    OwnLists own = {mesh, bars, s_lists, first, min(each, count - first), false};
    if (threadIdx.x == 0) s_lists.used = 0;
    __syncthreads();
    for (int k = static_cast<int>(threadIdx.x); k < own.count; k += kBlockSize) {
        const int begin = bars.begins[first + k], bar_count = bars.ends[first + k] - begin;
        const int place = atomicAdd(&s_lists.used, bar_count);
        if (k >= kMostPoints || place + bar_count > kMostBars) continue;
        s_lists.places[k] = make_int2(place, place + bar_count);
        for (int bar = 0; bar < bar_count; ++bar) {
            s_lists.bars[place + bar] = own.bar_of(bars.list[begin + bar]);
        }
    }
    __syncthreads();
    own.fit = own.count <= kMostPoints && s_lists.used <= kMostBars;
    return own;
}

}  // namespace distmesh
