// SPDX-License-Identifier: MIT
// Quicksort, stage 11: a ring of streams.
// Idea: the lists of a round share no key, so their kernels may run at the same time, each on the
// next stream of a ring: a segment, which occupies one multiprocessor, leaves the others to the
// rest. Reading the pivots' places on the default stream waits for all of them.
// Compared with 10_big: kStreams streams, made before the start.
// Limit now: a round lasts as long as its slowest list; and few keys pay for all streams.
// Thesis 3.3.3.1 (x1.76 at 160 million keys), figure 3.12.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/stream.hpp"
#include "device/device_launches.cuh"
#include "device/segment_sort.cuh"
#include "problem/quicksort.hpp"

using course::cuda_check, course::DeviceBuffer, course::Stream;
using quicksort::Input, quicksort::Key, quicksort::Output, quicksort::Phase, quicksort::PhaseTimer;
using quicksort::kBlockSize, quicksort::kLeafKeys, quicksort::quicksort_segment_kernel;

constexpr std::int64_t kStreams = 32;

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

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    const std::int64_t segment = quicksort::largest_segment();
    // A third of what fits: two blocks of 1024 threads fill a multiprocessor.
    const int tile = static_cast<int>(segment / 3);
    timer.begin(Phase::kSetup);
    const std::int64_t keys_in_streams = std::min(count, kStreams * segment);
    quicksort::allow_pending_launches(quicksort::pending_launches(keys_in_streams, segment));
    quicksort::allow_shared_lists(quicksort_segment_kernel);
    quicksort::allow_shared_lists(partition_list_kernel);
    quicksort::LaunchErrors errors;
    std::vector<Stream> streams(kStreams);
    DeviceBuffer<Key> d_keys(count), d_buffer(count);
    // Lists that share no key: no more of them are longer than a segment.
    DeviceBuffer<Counters> d_counters(count / (segment + 1) + 1);
    DeviceBuffer<Partition> d_partitions(d_counters.count());
    cuda_check(cudaMemset(d_counters.data(), 0, d_counters.bytes()));

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_keys.data(), input.keys.data(), d_keys.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    int levels = quicksort::depth_limit(count);
    Key *keys = d_keys.data(), *from = keys, *to = d_buffer.data();
    std::int64_t partitioned = 0;  // lists of this round
    std::size_t next_stream = 0;
    const auto take_stream = [&] { return streams[next_stream++ % kStreams].get(); };
    const auto launch_list = [&](std::int64_t begin, std::int64_t end) {
        const std::int64_t length = end - begin;
        if (length == 0) return;
        const cudaStream_t stream = take_stream();
        if (length <= kLeafKeys && from == keys) {
            cuda_check(quicksort::launch_block_sort(keys + begin, length, stream));
        } else if (length <= segment) {
            quicksort_segment_kernel<<<1, kBlockSize, 2 * length * sizeof(Key), stream>>>(
                from + begin, keys + begin, length, quicksort::depth_limit(length), errors.data());
        } else if (levels == 0) {
            // The limit is even, so the list has come back to `keys`.
            cuda_check(quicksort::launch_step_sort(keys + begin, length, stream));
        } else {
            const std::int64_t blocks = (length - 2) / tile + 1;  // of all keys but the pivot
            partition_list_kernel<<<blocks, kBlockSize, 2 * tile * sizeof(Key), stream>>>(
                from, to, keys, begin, end, tile, d_counters.data() + partitioned,
                d_partitions.data() + partitioned);
            ++partitioned;
        }
        cuda_check(cudaGetLastError());
    };
    // A pivot before the first key, so to say, with all keys on its right.
    std::vector<Partition> partitions{{-1, -1, count}};
    for (; !partitions.empty(); --levels) {
        partitioned = 0;
        for (const Partition& partition : partitions) {
            launch_list(partition.begin, partition.pivot);
            launch_list(partition.pivot + 1, partition.end);
        }
        partitions.resize(partitioned);
        cuda_check(cudaMemcpy(partitions.data(), d_partitions.data(),
                              partitioned * sizeof(Partition), cudaMemcpyDeviceToHost));
        std::swap(from, to);
    }

    timer.begin(Phase::kCopyOut);
    cuda_check(
        cudaMemcpy(output.keys.data(), d_keys.data(), d_keys.bytes(), cudaMemcpyDeviceToHost));
    errors.check();
    timer.end();
    timer.note_grid((count - 1) / tile + 1, kBlockSize);
    timer.declare_work({.bytes = 2.0 * d_keys.bytes()});  // each key read and written once
}

int main(int argc, char** argv) { return quicksort::run_stage(argc, argv, STAGE_NAME, sort_keys); }
