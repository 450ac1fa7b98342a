// SPDX-License-Identifier: MIT
// Quicksort, stage 13: the rounds on the device.
// Idea: a block of the GPU launches the kernels that the host launched, then itself, as a tail
// launch: that starts when all kernels of the round have ended. No partition goes to the host.
// Compared with 12_big_lazy_streams: launch_list is device code; launch_round_kernel is the loop.
// Limit now: a thread of the GPU launches kernels more slowly than the host; in the thesis, too,
// this stage is slower than stage 12.
// Thesis 3.3.3.3, figure 3.12.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "09_small_sublists_shared/segment_sort.cuh"
#include "10_big/partition_list.cuh"
#include "blocks/networks/bitonic_sort.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/quicksort.hpp"
#include "problem/segments.cuh"

using course::cuda_check, course::DeviceBuffer;
using quicksort::Input, quicksort::Key, quicksort::Output, quicksort::Phase, quicksort::PhaseTimer;
using quicksort::kBlockSize, quicksort::kLeafKeys, quicksort::Counters, quicksort::Partition;

constexpr int kRoundThreads = 32;  // each may leave launches pending

// All that the rounds need. A round reads one of the two lists and writes the other: it reads the
// first if `levels`, the number of partitions that the depth limit leaves, is even.
struct Sort {
    Key* lists[2];  // the sort ends in the first
    int segment, tile;
    Counters* counters;
    Partition* partitions[2];  // read and written by turns, like the lists
    int* partitioned;  // how many lists each of two rounds partitions
    int* first_error;
};

// Launches the kernel that sorts or partitions keys [begin, end).
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
        quicksort::quicksort_segment_kernel<<<1, kBlockSize, 2 * length * sizeof(Key), stream>>>(
            from + begin, keys + begin, length, quicksort::depth_limit(length), sort.first_error);
        error = cudaGetLastError();
    } else if (levels == 0) {
        // The depth limit is even: the list is in `keys` again.
        error = quicksort::launch_step_sort(keys + begin, length, stream);
    } else {
        const std::int64_t blocks = (length - 2) / sort.tile + 1;  // for all keys but the pivot
        const int entry = atomicAdd(&sort.partitioned[1 - levels % 2], 1);
        quicksort::
            partition_list_kernel<<<blocks, kBlockSize, 2 * sort.tile * sizeof(Key), stream>>>(
                from, to, keys, begin, end, sort.tile, sort.counters + entry,
                sort.partitions[1 - levels % 2] + entry);
        error = cudaGetLastError();
    }
    quicksort::note_launch_error(error, sort.first_error);
    cudaStreamDestroy(stream);  // takes effect when its kernels have ended
}

// One block. Each thread launches the kernels for both parts of one partition of the round before,
// beginning with partition `first`.
__global__ void launch_round_kernel(Sort sort, int levels, int first) {
    const int i = first + threadIdx.x;
    const int partitioned = sort.partitioned[levels % 2];
    if (i < partitioned) {
        const Partition partition = sort.partitions[levels % 2][i];
        launch_list(sort, partition.begin, partition.pivot, levels);
        launch_list(sort, partition.pivot + 1, partition.end, levels);
    }
    __syncthreads();  // all threads have launched and counted their lists
    // After an error a partition may be missing, and its entry is undefined.
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
    // A third of a segment: two blocks of 1024 threads fill a multiprocessor.
    const int tile = static_cast<int>(segment / 3);
    timer.begin(Phase::kSetup);
    // Each thread launches at most two lists; either may be of the kind with the most launches.
    quicksort::allow_pending_launches(
        2 * kRoundThreads *
        std::max<std::int64_t>(quicksort::pending_launches(segment, segment),
                               quicksort::step_sort_launches(count)));
    quicksort::allow_shared_lists(quicksort::quicksort_segment_kernel);
    quicksort::allow_shared_lists(quicksort::partition_list_kernel);
    quicksort::LaunchErrors errors;
    DeviceBuffer<Key> d_keys(count), d_buffer(count);
    // The lists of a round share no key: no more of them are longer than a segment.
    DeviceBuffer<Counters> d_counters(count / (segment + 1) + 1);
    DeviceBuffer<Partition> d_partitions(2 * d_counters.count());
    DeviceBuffer<int> d_partitioned(2);
    cuda_check(cudaMemset(d_counters.data(), 0, d_counters.bytes()));
    Sort sort = {.lists = {d_keys.data(), d_buffer.data()},
                 .segment = static_cast<int>(segment),
                 .tile = tile,
                 .counters = d_counters.data(),
                 .partitions = {d_partitions.data(), d_partitions.data() + d_counters.count()},
                 .partitioned = d_partitioned.data(),
                 .first_error = errors.data()};

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_keys.data(), input.keys.data(), d_keys.bytes(), cudaMemcpyHostToDevice));
    // Imagine a pivot before the first key: all keys are on its right.
    const Partition whole = {-1, -1, count};
    const int partitioned[2] = {1, 0};
    cuda_check(cudaMemcpy(d_partitions.data(), &whole, sizeof(Partition), cudaMemcpyHostToDevice));
    cuda_check(
        cudaMemcpy(d_partitioned.data(), partitioned, sizeof(partitioned), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
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
