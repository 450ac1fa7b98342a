// SPDX-License-Identifier: MIT
// Quicksort, stage 13: the rounds on the device.
// Idea: a block of the GPU launches what the host launched, and at last itself, as a tail launch:
// that starts when all the round's kernels have ended. No partition travels to the host.
// Compared with 12_big_lazy_streams: launch_list is device code, launch_round_kernel is the loop.
// Limit now: a thread of the GPU launches a kernel more slowly than the host does; the thesis found
// the whole slower too.
// Thesis 3.3.3.3, figure 3.12.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "device/device_launches.cuh"
#include "device/segment_sort.cuh"
#include "problem/quicksort.hpp"

using course::cuda_check, course::DeviceBuffer;
using quicksort::Input, quicksort::Key, quicksort::Output, quicksort::Phase, quicksort::PhaseTimer;
using quicksort::kBlockSize, quicksort::kLeafKeys, quicksort::quicksort_segment_kernel;

constexpr int kRoundThreads = 32;  // each raises the limit of pending launches

// What the blocks that partition one list share: all zero before and after.
struct Counters {
    unsigned long long left, right;  // keys that have their places in the two parts
    unsigned int blocks_done;
};

// Keys [begin, pivot) are less than key `pivot`, keys (pivot, end) are not.
struct Partition {
    std::int64_t begin, pivot, end;
};

// Partitions from[begin, end) into `to`; the pivot goes to `keys`, where everything will be sorted.
__global__ void partition_list_kernel(const Key* from, Key* to, Key* keys, std::int64_t begin,
                                      std::int64_t end, int tile_keys, Counters* counters,
                                      Partition* partition) {
    extern __shared__ Key s_keys[];
    __shared__ std::int64_t s_left_begin, s_right_begin;
    const int thread = threadIdx.x;
    const Key pivot = from[begin];
    const std::int64_t tile_begin = begin + 1 + static_cast<std::int64_t>(blockIdx.x) * tile_keys;
    const std::int64_t tile_end = min(tile_begin + tile_keys, end);
    const int count = static_cast<int>(tile_end - tile_begin);
    Key* s_parts = s_keys + count;
    int2 mine = make_int2(0, 0);  // keys below the pivot, and the others
    for (int i = thread; i < count; i += kBlockSize) {
        const Key key = from[tile_begin + i];
        s_keys[i] = key;
        if (key < pivot) {
            ++mine.x;
        } else {
            ++mine.y;
        }
    }
    int2 total;
    const int2 before = quicksort::scan_over_block(mine, total);
    int left = before.x;
    int right = total.x + before.y;
    for (int i = thread; i < count; i += kBlockSize) {
        const Key key = s_keys[i];
        s_parts[key < pivot ? left++ : right++] = key;
    }
    if (thread == 0) {
        s_left_begin = begin + atomicAdd(&counters->left, total.x);
        s_right_begin = end - atomicAdd(&counters->right, total.y) - total.y;
    }
    __syncthreads();  // s_parts and the block's two places in the list
    for (int i = thread; i < total.x; i += kBlockSize) to[s_left_begin + i] = s_parts[i];
    for (int i = thread; i < total.y; i += kBlockSize) to[s_right_begin + i] = s_parts[total.x + i];
    if (thread == 0) {
        __threadfence();  // whoever sees this block done sees its share of the counters too
        if (atomicAdd(&counters->blocks_done, 1) == gridDim.x - 1) {
            __threadfence();
            const std::int64_t place = begin + atomicExch(&counters->left, 0);
            keys[place] = pivot;  // no block reads `from` any more, should that be `keys`
            *partition = {begin, place, end};
            *counters = {0, 0, 0};
        }
    }
}

// All that the rounds need, handed from launch to launch. Of the two buffers, two lists and two
// counters, a round reads one and leaves its result in the other: the first if `levels`, the number
// of partitions that the depth limit leaves, is even.
struct Sort {
    Key* lists[2];  // in the first, everything will be sorted
    int segment, tile;
    Counters* counters;
    Partition* partitions[2];
    int* partitioned;  // how many partitions in each list
    int* first_error;
};

__device__ void launch_list(const Sort& sort, std::int64_t begin, std::int64_t end, int levels) {
    Key *keys = sort.lists[0], *from = sort.lists[levels % 2], *to = sort.lists[1 - levels % 2];
    const std::int64_t length = end - begin;
    if (length == 0) return;
    cudaStream_t stream = nullptr;
    cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    quicksort::note_launch_error(error, sort.first_error);
    if (length <= kLeafKeys && from == keys) {
        error = quicksort::launch_block_sort(keys + begin, length, stream);
    } else if (length <= sort.segment) {
        quicksort_segment_kernel<<<1, kBlockSize, 2 * length * sizeof(Key), stream>>>(
            from + begin, keys + begin, length, quicksort::depth_limit(length), sort.first_error);
        error = cudaGetLastError();
    } else if (levels == 0) {
        error = quicksort::launch_step_sort(keys + begin, length, stream);
    } else {
        const std::int64_t blocks = (length - 2) / sort.tile + 1;  // of all keys but the pivot
        const int entry = atomicAdd(&sort.partitioned[1 - levels % 2], 1);
        partition_list_kernel<<<blocks, kBlockSize, 2 * sort.tile * sizeof(Key), stream>>>(
            from, to, keys, begin, end, sort.tile, sort.counters + entry,
            sort.partitions[1 - levels % 2] + entry);
        error = cudaGetLastError();
    }
    quicksort::note_launch_error(error, sort.first_error);
    cudaStreamDestroy(stream);  // once its kernels have ended
}

// One block: each thread launches what follows from one partition of the round before, the first
// thread from number `first`.
__global__ void launch_round_kernel(Sort sort, int levels, int first) {
    const int i = first + threadIdx.x;
    const int partitioned = sort.partitioned[levels % 2];
    if (i < partitioned) {
        const Partition partition = sort.partitions[levels % 2][i];
        launch_list(sort, partition.begin, partition.pivot, levels);
        launch_list(sort, partition.pivot + 1, partition.end, levels);
    }
    __syncthreads();  // all of the block's lists have been launched and counted
    // After an error a partition may be missing, and its entry holds anything.
    if (threadIdx.x > 0 || *sort.first_error != cudaSuccess) return;
    if (first + kRoundThreads < partitioned) {
        launch_round_kernel<<<1, kRoundThreads, 0, cudaStreamTailLaunch>>>(sort, levels,
                                                                           first + kRoundThreads);
    } else if (sort.partitioned[1 - levels % 2] > 0) {
        sort.partitioned[levels % 2] = 0;
        launch_round_kernel<<<1, kRoundThreads, 0, cudaStreamTailLaunch>>>(sort, levels - 1, 0);
    }
    quicksort::note_launch_error(cudaGetLastError(), sort.first_error);
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    const std::int64_t segment = quicksort::largest_segment();
    // A third of what fits: two blocks of 1024 threads fill a multiprocessor.
    const int tile = static_cast<int>(segment / 3);
    timer.begin(Phase::kSetup);
    // A thread launches two lists at most, of a kind that takes the most launches at worst.
    quicksort::allow_pending_launches(
        2 * kRoundThreads *
        std::max<std::int64_t>(quicksort::pending_launches(segment, segment),
                               quicksort::step_sort_launches(count)));
    quicksort::allow_shared_lists(quicksort_segment_kernel);
    quicksort::allow_shared_lists(partition_list_kernel);
    quicksort::LaunchErrors errors;
    DeviceBuffer<Key> d_keys(count), d_buffer(count);
    // Lists that share no key: no more of them are longer than a segment.
    DeviceBuffer<Counters> d_counters(count / (segment + 1) + 1);
    DeviceBuffer<Partition> d_partitions(2 * d_counters.count());
    DeviceBuffer<int> d_partitioned(2);
    cuda_check(cudaMemset(d_counters.data(), 0, d_counters.bytes()));

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_keys.data(), input.keys.data(), d_keys.bytes(), cudaMemcpyHostToDevice));
    // A pivot before the first key, so to say, with all keys on its right.
    const Partition whole = {-1, -1, count};
    const int partitioned[2] = {1, 0};
    cuda_check(cudaMemcpy(d_partitions.data(), &whole, sizeof(Partition), cudaMemcpyHostToDevice));
    cuda_check(
        cudaMemcpy(d_partitioned.data(), partitioned, sizeof(partitioned), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    const Sort sort = {
        .lists = {d_keys.data(), d_buffer.data()},
        .segment = static_cast<int>(segment),
        .tile = tile,
        .counters = d_counters.data(),
        .partitions = {d_partitions.data(), d_partitions.data() + d_counters.count()},
        .partitioned = d_partitioned.data(),
        .first_error = errors.data()};
    launch_round_kernel<<<1, kRoundThreads>>>(sort, quicksort::depth_limit(count), 0);
    cuda_check(cudaGetLastError());

    timer.begin(Phase::kCopyOut);
    cuda_check(
        cudaMemcpy(output.keys.data(), d_keys.data(), d_keys.bytes(), cudaMemcpyDeviceToHost));
    errors.check();
    timer.end();
    timer.note_grid((count - 1) / tile + 1, kBlockSize);
    timer.declare_work({.bytes = 2.0 * d_keys.bytes()});  // each key read and written once
}

int main(int argc, char** argv) { return quicksort::run_stage(argc, argv, STAGE_NAME, sort_keys); }
