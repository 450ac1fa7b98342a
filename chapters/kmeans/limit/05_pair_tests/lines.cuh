// SPDX-License-Identifier: MIT
// Lines between two centroids, for the cells that these two share.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "limit/02_thread_columns/columns.cuh"
#include "limit/03_cell_table/cell_table.cuh"
#include "limit/04_packed_columns/packed_columns.cuh"

namespace kmeans {

using course::cuda_check;

// The offsets of a point from the origin.
__device__ inline uint2 offsets_of(int x, int y, int2 origin) {
    return make_uint2(static_cast<unsigned int>(x) - origin.x,
                      static_cast<unsigned int>(y) - origin.y);
}

// The offsets of pairs of points from the origin.
template <int N>
__device__ void find_offsets(const int4 (&pairs)[N], int2 origin, uint2 (&offsets)[2 * N]) {
    for (int i = 0; i < N; ++i) {
        offsets[2 * i] = offsets_of(pairs[i].x, pairs[i].y, origin);
        offsets[2 * i + 1] = offsets_of(pairs[i].z, pairs[i].w, origin);
    }
}

// A point with offsets u and v from `low` is nearer to b than to a if and only if
// A + bx * u + by * v < 0: the squared distance from b less that from a, without u^2 + v^2.
// Centroids are less than 2^21 from `low`, so bx and by fit 24 bits; the labels a and b are in the
// 8 bits below.
struct Line {
    int4 words;  // one load: A (low word, high word), bx and a, by and b

    // Of two centroids, the nearest to the point with these offsets: of equally near ones, the
    // first.
    __device__ int label_of(unsigned int u, unsigned int v) const {
        const int4 line = words;
        const std::int64_t constant =
            static_cast<std::int64_t>(line.y) << 32 | static_cast<unsigned int>(line.x);
        const std::int64_t difference =
            constant + static_cast<std::int64_t>(line.z >> 8) * static_cast<int>(u) +
            static_cast<std::int64_t>(line.w >> 8) * static_cast<int>(v);
        return (difference >= 0 ? line.z : line.w) & 255;
    }
};

// A table of lines. Its codes follow those of the centroids in the table of cells: code
// first_code + i stands for line i.
struct Lines {
    static constexpr int kMax = 256, kBytes = kMax * sizeof(Line);
    static constexpr unsigned int kNobody = 0xffffffff;

    Line* lines;
    unsigned int* owners;  // of line i: the pair of centroids, or kNobody
    int first_code;
    int count;  // lines that may be used; with 0, pairs get the code kSeveral
    bool may_be_far;  // whether centroids may be outside of the cells: not in stage limit/05

    // The code of the line between centroids a < b of cells that begin at `low`, or kSeveral if all
    // lines have other owners. The thread that claims a line writes it.
    __device__ int code_of(int a, int b, const int2* centroids, int2 low) const {
        if (count == 0) return kSeveral;
        if (may_be_far && (is_far(centroids[a], low) || is_far(centroids[b], low))) return kSeveral;
        const unsigned int pair = static_cast<unsigned int>(b * (b - 1) / 2 + a);
        int i = static_cast<int>(pair) % count;
        for (int tried = 0; tried < count; ++tried) {
            const unsigned int owner = atomicCAS(&owners[i], kNobody, pair);
            if (owner == kNobody) lines[i] = line_of(a, b, centroids, low);
            if (owner == kNobody || owner == pair) return first_code + i;
            i = i + 1 < count ? i + 1 : 0;
        }
        return kSeveral;
    }

  private:
    static __device__ bool is_far(int2 centroid, int2 low) {
        const uint2 offsets = offsets_of(centroid.x, centroid.y, low);
        return max(offsets.x, offsets.y) > PackedColumns::kMaxOffset;
    }
    __device__ static Line line_of(int a, int b, const int2* centroids, int2 low) {
        const int2 first = centroids[a], second = centroids[b];
        const std::int64_t ax = first.x - low.x, ay = first.y - low.y;
        const std::int64_t bx = second.x - low.x, by = second.y - low.y;
        const std::int64_t constant = bx * bx + by * by - ax * ax - ay * ay;
        return {make_int4(static_cast<int>(constant), static_cast<int>(constant >> 32),
                          static_cast<int>(-2 * (bx - ax) * 256 + a),
                          static_cast<int>(-2 * (by - ay) * 256 + b))};
    }
};

// Fills the table of cells: one thread per cell. A cell that two centroids share gets the number of
// the line between them.
__global__ void find_candidates_kernel(Table table, const int2* __restrict__ centroids, int k,
                                       Lines lines) {
    __shared__ int2 s_centroids[kMaxColumns];
    const int thread = threadIdx.x, cell = blockIdx.x * kCellBlock + thread;
    if (thread < k) s_centroids[thread] = centroids[thread];
    __syncthreads();  // all centroids must be copied before a thread reads them
    if (cell >= table.cells.count()) return;
    const unsigned int candidates = candidates_of(table.cells, cell, s_centroids, k);
    const int first = __ffs(static_cast<int>(candidates)) - 1, last = 31 - __clz(candidates);
    int code = first == last ? first : kSeveral;
    if (__popc(candidates) == 2) code = lines.code_of(first, last, s_centroids, table.cells.low);
    table.masks[cell] = candidates;
    table.codes[cell] = code;
}

// The memory of a table of lines.
struct LinesMemory {
    course::DeviceBuffer<Line> lines{Lines::kMax};
    course::DeviceBuffer<unsigned int> owners{Lines::kMax};

    LinesMemory() { cuda_check(cudaMemset(lines.data(), 0, lines.bytes())); }
    // Lines without owners, behind `labels` codes of centroids; none if `usable` is false.
    Lines clear(int labels, bool usable, bool may_be_far = false) {
        cuda_check(cudaMemsetAsync(owners.data(), 0xff, owners.bytes()));
        return {lines.data(), owners.data(), labels, usable ? kSeveral - labels : 0, may_be_far};
    }
};

}  // namespace kmeans
