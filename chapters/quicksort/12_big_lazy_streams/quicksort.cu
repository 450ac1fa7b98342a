// SPDX-License-Identifier: MIT
// Quicksort, stage 12: streams created only when needed.
// Idea: a stream is created when a round has more lists than there are streams. By then the GPU
// already works on the lists before. Each round starts again with the first stream, so a short list
// creates only the streams that it uses.
// Compared with 11_big_streams: take_stream.
// Limit now: the host, which launches every kernel and waits for each round.
// Thesis 3.3.3.2 (x2.1 in all), figure 3.12.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "09_small_sublists_shared/segment_sort.cuh"
#include "10_big/partition_list.cuh"
#include "blocks/networks/bitonic_sort.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/stream.hpp"
#include "problem/quicksort.hpp"
#include "problem/segments.cuh"

using course::cuda_check, course::DeviceBuffer, course::Stream;
using quicksort::Input, quicksort::Key, quicksort::Output, quicksort::Phase, quicksort::PhaseTimer;
using quicksort::kBlockSize, quicksort::kLeafKeys, quicksort::Counters, quicksort::Partition;

constexpr std::int64_t kStreams = 32;  // at most

// All that the rounds need. A round reads one of the two lists and writes the other: it reads the
// first if `levels`, the number of partitions that the depth limit leaves, is even.
struct Sort {
    Key* lists[2];  // the sort ends in the first
    int segment, tile;
    Counters* counters;
    Partition* partitions;
    int partitioned;  // how many lists this round partitions
    int* first_error;
    std::vector<Stream> streams;
    std::size_t next_stream;
};

// The next stream of the ring; it is created when it is taken for the first time.
cudaStream_t take_stream(Sort& sort) {
    const std::size_t stream = sort.next_stream++ % kStreams;
    if (stream == sort.streams.size()) sort.streams.emplace_back();
    return sort.streams[stream].get();
}

// Launches the kernel that sorts or partitions keys [begin, end).
void launch_list(Sort& sort, std::int64_t begin, std::int64_t end, int levels) {
    Key *keys = sort.lists[0], *from = sort.lists[levels % 2], *to = sort.lists[1 - levels % 2];
    const std::int64_t length = end - begin;
    if (length == 0) return;
    const cudaStream_t stream = take_stream(sort);
    cudaError_t error = cudaSuccess;
    if (length <= kLeafKeys && from == keys) {
        error = quicksort::launch_block_sort(keys + begin, length, stream);
    } else if (length <= sort.segment) {
        quicksort::quicksort_segment_kernel<<<1, kBlockSize, 2 * length * sizeof(Key), stream>>>(
            from + begin, keys + begin, length, quicksort::depth_limit(length), sort.first_error);
        error = cudaGetLastError();
    } else if (levels == 0) {
        // The depth limit is even: the list is in `keys` again.
        error = quicksort::launch_step_sort(keys + begin, length, stream);
    } else {
        const std::int64_t blocks = (length - 2) / sort.tile + 1;  // for all keys but the pivot
        const int entry = sort.partitioned++;
        quicksort::
            partition_list_kernel<<<blocks, kBlockSize, 2 * sort.tile * sizeof(Key), stream>>>(
                from, to, keys, begin, end, sort.tile, sort.counters + entry,
                sort.partitions + entry);
        error = cudaGetLastError();
    }
    cuda_check(error);
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    const std::int64_t segment = quicksort::largest_segment();
    // A third of a segment: two blocks of 1024 threads fill a multiprocessor.
    const int tile = static_cast<int>(segment / 3);
    timer.begin(Phase::kSetup);
    const std::int64_t keys_in_streams = std::min(count, kStreams * segment);
    quicksort::allow_pending_launches(quicksort::pending_launches(keys_in_streams, segment));
    quicksort::allow_shared_lists(quicksort::quicksort_segment_kernel);
    quicksort::allow_shared_lists(quicksort::partition_list_kernel);
    quicksort::LaunchErrors errors;
    DeviceBuffer<Key> d_keys(count), d_buffer(count);
    // The lists of a round share no key: no more of them are longer than a segment.
    DeviceBuffer<Counters> d_counters(count / (segment + 1) + 1);
    DeviceBuffer<Partition> d_partitions(d_counters.count());
    cuda_check(cudaMemset(d_counters.data(), 0, d_counters.bytes()));
    Sort sort = {.lists = {d_keys.data(), d_buffer.data()},
                 .segment = static_cast<int>(segment),
                 .tile = tile,
                 .counters = d_counters.data(),
                 .partitions = d_partitions.data(),
                 .partitioned = 0,
                 .first_error = errors.data(),
                 .streams = {},
                 .next_stream = 0};

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_keys.data(), input.keys.data(), d_keys.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    // Imagine a pivot before the first key: all keys are on its right.
    std::vector<Partition> partitions{{-1, -1, count}};
    for (int levels = quicksort::depth_limit(count); !partitions.empty(); --levels) {
        sort.partitioned = 0;
        sort.next_stream = 0;
        for (const Partition& partition : partitions) {
            launch_list(sort, partition.begin, partition.pivot, levels);
            launch_list(sort, partition.pivot + 1, partition.end, levels);
        }
        partitions.resize(sort.partitioned);
        cuda_check(cudaMemcpy(partitions.data(), d_partitions.data(),
                              sort.partitioned * sizeof(Partition), cudaMemcpyDeviceToHost));
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
