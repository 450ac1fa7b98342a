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

// The most threads per block. Measured on an H200, as are kBatch and kTogether.
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
    __shared__ int4 s_lines[Lines::kMax];
    const int thread = threadIdx.x, lane = thread % 32, threads = blockDim.x;
    const Columns columns(s_words, K * threads);
    constexpr int kWords = K * Columns::kBytes / 4;  // per thread
    auto* s_codes = reinterpret_cast<unsigned char*>(s_words + kWords * threads);
    const int2 origin = table.cells.low;
    for (int i = thread; i < kWords * threads; i += threads) s_words[i] = 0;
    for (int i = thread; i < table.cells.count() / 16; i += threads) {
        reinterpret_cast<uint4*>(s_codes)[i] = reinterpret_cast<const uint4*>(table.codes)[i];
    }
    for (int i = thread; i < Lines::kMax; i += threads) s_lines[i] = lines.lines[i];
    if (thread < k) s_centroids[thread] = centroids[thread];
    __syncthreads();  // all must be written before a thread uses it
    const auto label_of = [&](int code, unsigned int u, unsigned int v) {
        if (K <= 16 && code < K) return code;  // with more centroids, few warps would save the line
        if (code == kSeveral) return nearest_in_cell(u, v, table, s_centroids);
        const int label = label_by_line(s_lines[max(code - (K - 1), 0)], u, v);
        return code < K ? code : label;
    };
    constexpr int kBatch = 4, kTogether = K > 16 ? 4 : 2;  // int4 per thread and step
    const std::int64_t stride = std::int64_t{gridDim.x} * 2 * kBatch * threads;
    const int span = 2 * (kBatch - 1) * threads + 64;  // from the first point of a warp to its last
    std::int64_t first = std::int64_t{blockIdx.x} * 2 * kBatch * threads + 2 * (thread - lane);
    Sum mine = {0, 0, 0};
    int added = 0;  // the most points in a column
    int4 next[kBatch];
    bool full = first + span <= count;
    if (full) load_pairs(next, &points[first + 2 * lane]);
    // All lanes of a warp do the same steps, so that they take columns together.
    while (full) {
        uint4 batch[kBatch];
        for (int i = 0; i < kBatch; ++i) batch[i] = offsets_of(next[i], origin);
        first += stride;
        full = first + span <= count;
        if (full) load_pairs(next, &points[first + 2 * lane]);
        for (int group = 0; group < kBatch; group += kTogether) {
            unsigned int u[2 * kTogether], v[2 * kTogether];
            int labels[2 * kTogether];  // first their codes
            for (int i = 0; i < 2 * kTogether; ++i) {
                const uint4 pair = batch[group + i / 2];
                u[i] = i % 2 == 0 ? pair.x : pair.z;
                v[i] = i % 2 == 0 ? pair.y : pair.w;
                labels[i] = s_codes[table.cells.cell(u[i], v[i])];
            }
            for (int i = 0; i < 2 * kTogether; ++i) labels[i] = label_of(labels[i], u[i], v[i]);
            for (int i = 0; i < 2 * kTogether; ++i) {
                columns.add(labels[i] * threads + thread, u[i], v[i]);
            }
        }
        added += 2 * kBatch;
        if (added + 2 * kBatch <= Columns::kMaxPoints) continue;
        take_columns<K>(columns, mine);
        added = 0;
    }
#pragma unroll 1
    for (int i = 0; i < 2 * kBatch; ++i) {  // the warp's last batch, which may not be full
        const std::int64_t index = first + i / 2 * 2 * threads + 2 * lane + i % 2;
        if (index >= count) break;
        const int2 point = points[index];
        const unsigned int u = static_cast<unsigned int>(point.x) - origin.x;
        const unsigned int v = static_cast<unsigned int>(point.y) - origin.y;
        const int label = label_of(s_codes[table.cells.cell(u, v)], u, v);
        columns.add(label * threads + thread, u, v);
    }
    take_columns<K>(columns, mine);
    add_block_sums<K>(mine, origin, reinterpret_cast<Word*>(s_words), k, sums);
}

}  // namespace kmeans
