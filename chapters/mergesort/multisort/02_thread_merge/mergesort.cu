// SPDX-License-Identifier: MIT
// Merge sort, stage multisort/02: multisort, one thread per merge.
// Idea: the tree of stage multisort/01 from its leaves. A thread sorts size_i keys by insertion.
// Then each level of merges is one launch, in which each thread merges two runs. All launches are
// on one stream, where each sees what the launch before it wrote.
// Compared with multisort/01_one_thread: runs of equal length from the left instead of halves, the
// last run shorter; two lists that swap.
// Limit now: each level has half as many threads as the level before, and one thread does the last
// merge.
// Not of the thesis: Herrero and Troiani 2024, 3.3, figures 4 to 6.
#include <cuda_runtime.h>

#include <cstdint>
#include <utility>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/stream.hpp"
#include "problem/mergesort.hpp"
#include "problem/multisort.hpp"

using course::cuda_check, course::DeviceBuffer, course::Event, course::milliseconds_between;
using mergesort::blocks_for, mergesort::multisort_work;
using mergesort::Input, mergesort::Key, mergesort::Output, mergesort::Phase, mergesort::PhaseTimer;

__device__ __forceinline__ std::int64_t global_thread() {
    return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__global__ void insertion_sort_kernel(Key* keys, std::int64_t count, std::int64_t size_i) {
    const std::int64_t begin = global_thread() * size_i;
    const std::int64_t end = min(begin + size_i, count);
    for (std::int64_t i = begin + 1; i < end; ++i) {
        const Key key = keys[i];
        std::int64_t place = i;
        for (; place > begin && keys[place - 1] > key; --place) keys[place] = keys[place - 1];
        keys[place] = key;
    }
}

// Writes to[first, last) by merging from[left, left_end) and from[right, right_end). Of equal keys
// the left one goes first, so equal keys keep their order.
__device__ __forceinline__ void merge_keys(const Key* __restrict__ from, std::int64_t left,
                                           std::int64_t left_end, std::int64_t right,
                                           std::int64_t right_end, Key* __restrict__ to,
                                           std::int64_t first, std::int64_t last) {
    for (std::int64_t out = first; out < last; ++out) {
        const bool takes_left =
            right == right_end || (left < left_end && from[left] <= from[right]);
        to[out] = from[takes_left ? left++ : right++];
    }
}

// Merges runs of `length` keys into runs of twice as many. The last run may be short; without a
// partner it is copied.
__global__ void merge_runs_kernel(const Key* __restrict__ from, Key* __restrict__ to,
                                  std::int64_t count, std::int64_t length) {
    const std::int64_t begin = global_thread() * 2 * length;
    if (begin >= count) return;
    const std::int64_t middle = min(begin + length, count);
    const std::int64_t end = min(begin + 2 * length, count);
    merge_keys(from, begin, middle, middle, end, to, begin, end);
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    const std::int64_t size_i = input.options.integer("--size-i");
    const int threads = static_cast<int>(input.options.integer("--threads"));
    const std::int64_t runs = (count - 1) / size_i + 1;
    const int blocks = blocks_for(runs, threads);
    timer.begin(Phase::kSetup);
    DeviceBuffer<Key> d_from(count), d_to(count);
    Event start, runs_sorted, merged;

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_from.data(), input.keys.data(), d_from.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    start.record();
    insertion_sort_kernel<<<blocks, threads>>>(d_from.data(), count, size_i);
    cuda_check(cudaGetLastError());
    runs_sorted.record();
    for (std::int64_t length = size_i; length < count; length *= 2) {
        const std::int64_t merges = (count - 1) / (2 * length) + 1;
        merge_runs_kernel<<<blocks_for(merges, threads), threads>>>(d_from.data(), d_to.data(),
                                                                    count, length);
        cuda_check(cudaGetLastError());
        std::swap(d_from, d_to);
    }
    merged.record();

    timer.begin(Phase::kCopyOut);
    cuda_check(
        cudaMemcpy(output.keys.data(), d_from.data(), d_from.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid(blocks, threads);
    timer.declare_work(multisort_work(count, size_i));
    output.report = {{"insertion_sort_ms", milliseconds_between(start, runs_sorted)},
                     {"merge_ms", milliseconds_between(runs_sorted, merged)}};
}

int main(int argc, char** argv) {
    return mergesort::run_stage(argc, argv, STAGE_NAME, sort_keys, nullptr,
                                {mergesort::size_i_option(2), mergesort::threads_option()});
}
