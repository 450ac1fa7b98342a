// SPDX-License-Identifier: MIT
// Unchanged from stage 10_pair_tests: the sums of all points by the table of cells and by lines.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/cells.cuh"
#include "device/columns.cuh"
#include "device/fused_sums.cuh"
#include "device/lines.cuh"

namespace kmeans {

using fused::Word;

// The most threads per block. Measured on an H200, as is kBatch.
constexpr int threads_of(int k) { return k <= 4 ? 512 : k <= 16 ? 1024 : 640; }
template <int K>
constexpr int kThreads = threads_of(K);

// Adds all points to `sums`. Every thread of the grid calls this. K = rounded(k), and blocks have
// whole warps.
template <class Columns, int K>
__device__ void sum_columns(const int2* points, std::int64_t count, const int2* centroids, int k,
                            const Table& table, const Lines& lines, Word* sums) {
    alignas(16) extern __shared__ unsigned int s_words[];
    __shared__ int2 s_centroids[K];
    const int thread = threadIdx.x, lane = thread % 32, threads = blockDim.x;
    constexpr int kWords = K * Columns::kBytes / 4;  // per thread
    auto* s_lines = reinterpret_cast<int4*>(s_words);
    unsigned int* s_columns = s_words + Lines::kBytes / 4;
    auto* s_codes = reinterpret_cast<unsigned char*>(s_columns + kWords * threads);
    const Columns columns(s_columns, K * threads);
    const int2 origin = table.cells.low;
    for (int i = thread; i < kWords * threads; i += threads) s_columns[i] = 0;
    for (int i = thread; i < table.cells.count() / 16; i += threads) {
        reinterpret_cast<uint4*>(s_codes)[i] = reinterpret_cast<const uint4*>(table.codes)[i];
    }
    for (int i = thread; i < Lines::kMax; i += threads) {
        s_lines[i] = lines.lines[i];
        if (blockIdx.x == 0) lines.owners[i] = Lines::kNobody;  // for the next iteration
    }
    if (thread < k) s_centroids[thread] = centroids[thread];
    __syncthreads();  // all must be written before a thread uses it
    const auto label_of = [&](unsigned int u, unsigned int v) {
        const int code = s_codes[table.cells.cell(u, v)];
        if (code < K) return code;
        if (code == kSeveral) return nearest_in_cell(u, v, table, s_centroids);
        return label_by_line(s_lines[code - K], u, v);
    };
    const auto add = [&](unsigned int u, unsigned int v) {
        columns.add(label_of(u, v) * threads + thread, u, v);
    };
    constexpr int kBatch = 4, kBatchPoints = 2 * kBatch;  // pairs and points per lane and step
    std::int64_t first = (std::int64_t{blockIdx.x} * threads + thread - lane) * kBatchPoints;
    const std::int64_t stride = std::int64_t{gridDim.x} * threads * kBatchPoints;
    Sum mine = {0, 0, 0};
    int added = 0;  // the most points in a column
    int4 next[kBatch];
    uint4 batch[kBatch];
    bool ready = false;
    // All lanes of a warp do the same steps, so that they take columns together.
    for (;; first += stride) {
        const bool full = first + 32 * kBatchPoints <= count;
        if (full) load_pairs(next, &points[first + 2 * lane]);
        if (ready) {  // the points before those that are loaded now
#pragma unroll  // or the batch would be in local memory
            for (int i = 0; i < kBatch; ++i) {
                add(batch[i].x, batch[i].y);
                add(batch[i].z, batch[i].w);
            }
            added += kBatchPoints;
            if (added + kBatchPoints > Columns::kMaxPoints) {
                take_columns<K>(columns, mine);
                added = 0;
            }
        }
        if (!full) break;
        // A difference, not a copy: nvcc would let a copy wait for the loads that follow it.
        for (int i = 0; i < kBatch; ++i) batch[i] = offsets_of(next[i], origin);
        ready = true;
    }
    for (std::int64_t i = first + lane; i < min(first + 32 * kBatchPoints, count); i += 32) {
        const int2 point = points[i];
        add(static_cast<unsigned int>(point.x) - origin.x,
            static_cast<unsigned int>(point.y) - origin.y);
    }
    take_columns<K>(columns, mine);
    add_block_sums<K>(mine, origin, reinterpret_cast<Word*>(s_words), k, sums);
}

}  // namespace kmeans
