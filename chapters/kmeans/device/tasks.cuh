// SPDX-License-Identifier: MIT
// Tasks of stages 12 to 15: the points of a few neighbouring cells, which one warp labels and adds.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "device/cell_sort.cuh"
#include "device/cells.cuh"
#include "device/columns.cuh"
#include "device/fused_sums.cuh"
#include "device/queue.cuh"
#include "device/two_stage.cuh"

namespace kmeans {

using course::cuda_check;

constexpr int kTaskPoints = 256;  // at most
constexpr int kPointsPerLane = kTaskPoints / 32;
constexpr int kTaskThreads = 1024;
constexpr int kTaskWarps = kTaskThreads / 32;
static_assert(kTaskWarps >= kMaxColumns, "one warp per centroid");
constexpr int kNobody = -1;  // the label of a point that does not exist

// A list of tasks in device memory. x and y: the first point, and the one behind the last, as
// positions in the sorted list. z: the row. w: the first column, and << 16 the one behind the last.
struct Tasks {
    uint4* list;
    unsigned int* number;

    // Appends tasks for the points of columns [first, last) of a row, which each lane has its own:
    // none if first >= last. Every lane of a warp must call this.
    __device__ void append(const unsigned int* starts_of_row, int row, int first, int last) const {
        const int lane = threadIdx.x % 32;
        const unsigned int begin = first < last ? starts_of_row[first] : 0;
        const unsigned int end = first < last ? starts_of_row[last] : 0;
        const unsigned int mine = (end - begin + kTaskPoints - 1) / kTaskPoints;
        unsigned int sum = mine;  // of the tasks of this lane and those before it
        for (int distance = 1; distance < 32; distance *= 2) {
            const unsigned int before = __shfl_up_sync(kAllLanes, sum, distance);
            if (lane >= distance) sum += before;
        }
        unsigned int place = 0;
        if (lane == 31 && sum > 0) place = atomicAdd(number, sum);
        place = __shfl_sync(kAllLanes, place, 31) + sum - mine;
        if (mine == 1) list[place] = make_uint4(begin, end, row, first | last << 16);
        // Many tasks of a lane are written by all.
        unsigned int rest = __ballot_sync(kAllLanes, mine > 1);
        for (; rest != 0; rest &= rest - 1) {
            const int from = __ffs(static_cast<int>(rest)) - 1;
            const unsigned int its_begin = __shfl_sync(kAllLanes, begin, from);
            const unsigned int its_end = __shfl_sync(kAllLanes, end, from);
            const unsigned int its_number = __shfl_sync(kAllLanes, mine, from);
            const unsigned int its_place = __shfl_sync(kAllLanes, place, from);
            const int columns = __shfl_sync(kAllLanes, first | last << 16, from);
            for (unsigned int i = lane; i < its_number; i += 32) {
                const unsigned int at = its_begin + i * kTaskPoints;
                list[its_place + i] =
                    make_uint4(at, at + min(its_end - at, kTaskPoints + 0u), row, columns);
            }
        }
    }
};

// The most tasks that `count` points in `lists` lists of neighbouring cells make.
inline std::int64_t max_tasks(std::int64_t count, std::int64_t lists) {
    return count / kTaskPoints + std::min(count, lists);
}

// The box of the cells in rows [row, row_end) and columns [column, column_end), cut off at the
// grid.
__device__ inline Box box_of_cells(const Cells& cells, int row, int row_end, int column,
                                   int column_end) {
    const int last_row = min(row_end, cells.columns) - 1;
    const int last_column = min(column_end, cells.columns) - 1;
    return {cells.box_of((row << cells.bits) + column).low,
            cells.box_of((last_row << cells.bits) + last_column).high};
}

// The centroids that may be the nearest of a point in a box, as bits: candidates_of() by a warp,
// lane c for centroid c. Every lane of the warp must call this.
__device__ inline unsigned int candidates_by_warp(const Box& box, const int2* centroids, int k) {
    const int lane = threadIdx.x % 32;
    const int2 mine = centroids[min(lane, k - 1)], centre = box.centre();
    // Rounding is harmless: every b is right, but a near one leaves few candidates. Floats that are
    // not negative are ordered as their bits are.
    const float dx = static_cast<float>(mine.x) - static_cast<float>(centre.x);
    const float dy = static_cast<float>(mine.y) - static_cast<float>(centre.y);
    const float distance = __fmaf_rn(dx, dx, __fmul_rn(dy, dy));
    const unsigned int bits = lane < k ? __float_as_uint(distance) : 0xffffffff;
    const unsigned int least = __reduce_min_sync(kAllLanes, bits);
    const int b = __ffs(static_cast<int>(__ballot_sync(kAllLanes, bits == least))) - 1;
    const int2 other = centroids[b];
    const int2 corner = make_int2(mine.x > other.x ? box.high.x : box.low.x,
                                  mine.y > other.y ? box.high.y : box.low.y);
    const bool wins = lane < k && (lane == b || counts_as_nearer(corner, lane, b, centroids));
    return __ballot_sync(kAllLanes, wins);
}

// Sums over a warp of the offsets of at most kTaskPoints points of a row: u, v in the row, number.
template <class Key>
__device__ Sum sum_over_warp(const SortedPoints<Key>& sorted, const Key (&keys)[kPointsPerLane],
                             const int (&labels)[kPointsPerLane], int label) {
    // 256 offsets of a narrow grid fit 32 bits. Those of a wide one are added in halves.
    constexpr bool kNarrow = sizeof(Key) == 4;
    unsigned int u_low = 0, v_low = 0, u_high = 0, v_high = 0, number = 0;
#pragma unroll
    for (int i = 0; i < kPointsPerLane; ++i) {
        if (labels[i] != label) continue;
        const unsigned int u = sorted.u_of(keys[i]), v = sorted.v_in_row(keys[i]);
        u_low += kNarrow ? u : u & 0xffff;
        v_low += kNarrow ? v : v & 0xffff;
        u_high += u >> 16;
        v_high += v >> 16;
        ++number;
    }
    Sum sum = {__reduce_add_sync(kAllLanes, u_low), __reduce_add_sync(kAllLanes, v_low),
               __reduce_add_sync(kAllLanes, number)};
    if (!kNarrow) {
        sum.x += static_cast<std::int64_t>(__reduce_add_sync(kAllLanes, u_high)) << 16;
        sum.y += static_cast<std::int64_t>(__reduce_add_sync(kAllLanes, v_high)) << 16;
    }
    return sum;
}

// Labels the points of a task and adds them to `mine`: lane c has the sums of label c, of offsets
// from the corner of the cells. Every lane of the warp must call this.
template <class Key>
__device__ void sum_task(const SortedPoints<Key>& sorted, uint4 task, const int2* centroids, int k,
                         Sum& mine) {
    const int lane = threadIdx.x % 32, row = static_cast<int>(task.z);
    const int number = static_cast<int>(task.y - task.x);
    Key keys[kPointsPerLane];  // all loads are under way while the warp looks for candidates
#pragma unroll
    for (int i = 0; i < kPointsPerLane; ++i) {
        if (32 * i + lane < number) keys[i] = sorted.keys[task.x + 32 * i + lane];
    }
    const Box box = box_of_cells(sorted.cells, row, row + 1, static_cast<int>(task.w & 0xffff),
                                 static_cast<int>(task.w >> 16));
    const unsigned int candidates = candidates_by_warp(box, centroids, k);
    int labels[kPointsPerLane];
    std::uint64_t least[kPointsPerLane];
#pragma unroll
    for (int i = 0; i < kPointsPerLane; ++i) {
        least[i] = ~std::uint64_t{0};
        labels[i] = 32 * i + lane < number ? __ffs(static_cast<int>(candidates)) - 1 : kNobody;
    }
    if ((candidates & (candidates - 1)) != 0) {
        for (unsigned int rest = candidates; rest != 0; rest &= rest - 1) {
            const int c = __ffs(static_cast<int>(rest)) - 1;
            const int2 centroid = centroids[c];
#pragma unroll
            for (int i = 0; i < kPointsPerLane; ++i) {
                if (labels[i] == kNobody) continue;
                const std::uint64_t distance =
                    squared_distance(sorted.point_of(keys[i], row), centroid);
                if (distance < least[i]) {  // of equally near centroids, the first one stays
                    least[i] = distance;
                    labels[i] = c;
                }
            }
        }
    }
    for (unsigned int rest = candidates; rest != 0; rest &= rest - 1) {
        const int label = __ffs(static_cast<int>(rest)) - 1;
        const Sum sum = sum_over_warp(sorted, keys, labels, label);
        if (lane != label) continue;
        mine.x += sum.x;
        mine.y += sum.y + (static_cast<std::int64_t>(row) << sorted.cells.shift) * sum.count;
        mine.count += sum.count;
    }
}

// All tasks of a list, or of what a block does of it: neighbours in the list are often equally
// long, so they go to different multiprocessors. Every thread of the grid calls this, in blocks of
// kTaskThreads.
template <class Key>
__device__ void sum_tasks(const SortedPoints<Key>& sorted, const Tasks& tasks,
                          const int2* centroids, int k, Word* sums) {
    __shared__ int2 s_centroids[kMaxColumns];
    __shared__ Word s_partial[fused::kWordsPerSum * kMaxColumns * kTaskWarps];
    const int thread = threadIdx.x;
    if (thread < k) s_centroids[thread] = centroids[thread];
    __syncthreads();  // all centroids must be copied before a thread reads them
    const unsigned int number = *tasks.number, stride = gridDim.x * kTaskWarps;
    Sum mine = {0, 0, 0};
    for (unsigned int i = threadIdx.x / 32 * gridDim.x + blockIdx.x; i < number; i += stride) {
        sum_task(sorted, tasks.list[i], s_centroids, k, mine);
    }
    add_block_sums<kMaxColumns>(mine, sorted.cells.low, s_partial, k, sums);
}

// True for all threads of the last block of the grid that calls this: it sees what the others wrote
// before. Every thread of each block must call this.
__device__ inline bool is_last_block(Progress* progress) {
    __shared__ bool s_last;
    __threadfence();  // what this block wrote must arrive before it counts as ended
    __syncthreads();
    if (threadIdx.x == 0) s_last = atomicAdd(&progress->blocks, 1) == gridDim.x - 1;
    __syncthreads();
    return s_last;
}

// The last block of an iteration calls this: moves the centroids, clears what the next iteration
// adds to, and decides whether there is one. The other blocks' sums were added in the L2 cache.
__device__ inline void end_iteration(const State& state, int k) {
    bool moved = false;
    const int c = threadIdx.x;
    if (c < k) {
        Word* sum = &state.sums[fused::kWordsPerSum * c];
        const std::int64_t x = __ldcg(&sum[0]), y = __ldcg(&sum[1]), size = __ldcg(&sum[2]);
        sum[0] = sum[1] = sum[2] = 0;
        const int2 old = state.centroids[c];
        int2 mean = old;  // a centroid without points does not move
        if (size > 0) mean = make_int2(static_cast<int>(x / size), static_cast<int>(y / size));
        moved = mean.x != old.x || mean.y != old.y;
        state.sizes[c] = size;
        state.before[c] = old;
        state.centroids[c] = mean;
    }
    const bool converged = __syncthreads_or(moved) == 0;
    if (c > 0) return;
    Progress& progress = *state.progress;
    progress.blocks = 0;
    progress.converged = converged;
    ++progress.iterations;
    progress.done =
        progress.iterations == state.max_iterations || (converged && !state.all_iterations);
}

// The memory of a list of tasks.
class TasksMemory {
  public:
    // No tasks.
    explicit TasksMemory(std::int64_t most) : d_list_(most) {
        cuda_check(cudaMemset(d_number_.data(), 0, d_number_.bytes()));
    }

    Tasks tasks() { return {d_list_.data(), d_number_.data()}; }

  private:
    course::DeviceBuffer<uint4> d_list_;
    course::DeviceBuffer<unsigned int> d_number_{1};
};

}  // namespace kmeans
