// SPDX-License-Identifier: MIT
// A list of tasks in device memory, to which warps append: each task is the points of a few
// neighbouring cells.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "limit/02_thread_columns/columns.cuh"

namespace kmeans {

using course::cuda_check;

constexpr int kTaskPoints = 256;  // at most

// Points of neighbouring cells of a row.
struct Task {
    uint4 words;  // one load or store

    // From the first point to behind the last: places in the sorted list.
    __host__ __device__ unsigned int begin() const { return words.x; }
    __host__ __device__ unsigned int end() const { return words.y; }
    __host__ __device__ int row() const { return static_cast<int>(words.z); }
    __host__ __device__ int first_column() const { return static_cast<int>(words.w & 0xffff); }
    __host__ __device__ int column_end() const { return static_cast<int>(words.w >> 16); }
};

// A list of tasks in device memory.
struct Tasks {
    Task* list;
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
        if (mine == 1) list[place] = {make_uint4(begin, end, row, first | last << 16)};
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
                list[its_place + i] = {
                    make_uint4(at, at + min(its_end - at, kTaskPoints + 0u), row, columns)};
            }
        }
    }
};

// The most tasks that `count` points in `lists` lists of neighbouring cells make.
inline std::int64_t max_tasks(std::int64_t count, std::int64_t lists) {
    return count / kTaskPoints + std::min(count, lists);
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
    course::DeviceBuffer<Task> d_list_;
    course::DeviceBuffer<unsigned int> d_number_{1};
};

}  // namespace kmeans
