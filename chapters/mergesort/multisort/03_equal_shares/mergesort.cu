// SPDX-License-Identifier: MIT
// Merge sort, stage multisort/03: multisort, an equal share of the merges per thread.
// Idea: merge path. Of the first d keys of a merge some come from the left run, the others from the
// right run. A binary search on diagonal d finds how many, without merging. So a thread can begin
// anywhere: each writes size_i keys, and the last level has as many threads as the first.
// Compared with multisort/02_thread_merge: merge_path, and one thread per share of a merge.
// Limit now: the searches: each level needs one search in two runs for every size_i keys, with two
// loads per step.
// Not of the thesis (but its 4.2.2 has the same idea): Herrero and Troiani 2024, 3.4, figures 8 to
// 13.
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

// How many of the first `diagonal` keys of a merge come from its left run. Along the diagonal the
// keys of the left run rise and those of the right run fall. Before the crossing the left key is
// taken, also when both are equal.
__device__ __forceinline__ std::int64_t merge_path(const Key* left, std::int64_t left_count,
                                                   const Key* right, std::int64_t right_count,
                                                   std::int64_t diagonal) {
    std::int64_t low = diagonal > right_count ? diagonal - right_count : 0;
    std::int64_t high = min(diagonal, left_count);
    while (low < high) {
        const std::int64_t i = low + (high - low) / 2;
        if (left[i] <= right[diagonal - 1 - i]) {
            low = i + 1;
        } else {
            high = i;
        }
    }
    return low;
}

// Merges runs of run_shares * size_i keys into runs of twice as many, one thread per share of
// size_i keys. run_shares is a power of two, so the pair of a share is found without a division.
// The last run may be short; without a partner it is copied.
__global__ void merge_runs_kernel(const Key* __restrict__ from, Key* __restrict__ to,
                                  std::int64_t count, std::int64_t size_i,
                                  std::int64_t run_shares) {
    const std::int64_t share = global_thread();
    const std::int64_t first = share * size_i;
    if (first >= count) return;
    const std::int64_t begin = (share & ~(2 * run_shares - 1)) * size_i;
    const std::int64_t middle = min(begin + run_shares * size_i, count);
    const std::int64_t end = min(begin + 2 * run_shares * size_i, count);
    const std::int64_t diagonal = first - begin;
    const std::int64_t left =
        merge_path(from + begin, middle - begin, from + middle, end - middle, diagonal);
    merge_keys(from, begin + left, middle, middle + diagonal - left, end, to, first,
               min(first + size_i, end));
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
    for (std::int64_t run_shares = 1; run_shares < runs; run_shares *= 2) {
        merge_runs_kernel<<<blocks, threads>>>(d_from.data(), d_to.data(), count, size_i,
                                               run_shares);
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
