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

// Adds all points to `sums`. Every thread of the grid calls this. K = rounded(k), and blocks have
// whole warps. `backwards`: from the last point to the first.
template <class Columns, int K>
__device__ void sum_columns(const int2* points, std::int64_t count, const int2* centroids, int k,
                            const Table& table, const Lines& lines, Word* sums, bool backwards) {
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
    for (int i = thread; i < table.cells.count() / 16; i += threads)
        reinterpret_cast<uint4*>(s_codes)[i] = reinterpret_cast<const uint4*>(table.codes)[i];
    for (int i = thread; i < Lines::kMax; i += threads) {
        s_lines[i] = lines.lines[i];
        if (blockIdx.x == 0) lines.owners[i] = Lines::kNobody;  // for the next iteration
    }
    if (thread < k) s_centroids[thread] = centroids[thread];
    __syncthreads();  // all must be written before a thread uses it
    const auto code_of = [&](uint2 point) { return s_codes[table.cells.cell(point.x, point.y)]; };
    const auto label_of = [&](int code, uint2 point) {
        if (code < K) return code;
        if (code == kSeveral) return nearest_in_cell(point.x, point.y, table, s_centroids);
        return label_by_line(s_lines[code - K], point.x, point.y);
    };
    const auto add = [&](int label, uint2 point) {
        columns.add(label * threads + thread, point.x, point.y);
    };
    constexpr int kBatch = 4, kBatchPoints = 2 * kBatch;  // pairs and points per lane and step
    const std::int64_t end = count - count % (32 * kBatchPoints);
    std::int64_t first = (std::int64_t{blockIdx.x} * threads + thread - lane) * kBatchPoints;
    std::int64_t stride = std::int64_t{gridDim.x} * threads * kBatchPoints;
    if (backwards) first = end - 32 * kBatchPoints - first, stride = -stride;
    Sum mine = {0, 0, 0};
    int added = 0;  // the most points in a column
    int4 next[kBatch];
    uint2 batch[kBatchPoints];
    bool ready = false;
    // All lanes of a warp do the same steps, so that they take columns together.
    for (;; first += stride) {
        const bool full = 0 <= first && first < end;
        if (full) load_pairs(next, &points[first + 2 * lane]);
        if (ready) {  // the points before those that are loaded now
            if (K <= 16) {
#pragma unroll  // or the batch would be in local memory
                for (int i = 0; i < kBatchPoints; ++i)
                    add(label_of(code_of(batch[i]), batch[i]), batch[i]);
            } else {  // most warps need a line: all lanes read one, and loads need not wait in turn
                int codes[kBatchPoints], labels[kBatchPoints], greatest = 0;
                for (int i = 0; i < kBatchPoints; ++i) {
                    codes[i] = code_of(batch[i]);
                    greatest = max(greatest, codes[i]);
                }
                for (int i = 0; i < kBatchPoints; ++i) {
                    const int4 line = s_lines[max(codes[i] - K, 0)];
                    const int label = label_by_line(line, batch[i].x, batch[i].y);
                    labels[i] = codes[i] < K ? codes[i] : label;
                }
                for (int i = 0; greatest == kSeveral && i < kBatchPoints; ++i)
                    if (codes[i] == kSeveral) labels[i] = label_of(kSeveral, batch[i]);
                for (int i = 0; i < kBatchPoints; ++i) add(labels[i], batch[i]);
            }
            added += kBatchPoints;
            if (added + kBatchPoints > Columns::kMaxPoints) {
                take_columns<K>(columns, mine);
                added = 0;
            }
        }
        if (!full) break;
        // A difference, not a copy: nvcc would let a copy wait for the loads that follow it.
        find_offsets(next, origin, batch);
        ready = true;
    }
    for (std::int64_t i = end + thread; blockIdx.x == 0 && i < count; i += threads) {
        const int2 point = points[i];
        const uint2 offsets = offsets_of(point.x, point.y, origin);
        add(label_of(code_of(offsets), offsets), offsets);
    }
    take_columns<K>(columns, mine);
    add_block_sums<K>(mine, origin, reinterpret_cast<Word*>(s_words), k, sums);
}

}  // namespace kmeans
