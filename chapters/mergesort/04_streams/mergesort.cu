// SPDX-License-Identifier: MIT
// Merge sort, stage 04: a stream a merge.
// Idea: the merges of a pass share no key, yet on one stream each waits for the one before, and a
// short one leaves most of the device idle. Each is launched on the next stream of a ring instead.
// (The thesis makes and destroys a stream for each merge; a ring is made once.)
// Compared with 03_padded_list: kStreams streams, and a wait for all of them between passes.
// Limit now: the host, which launches n / 512 kernels one by one, most of them done before the
// next is launched.
// Thesis 4.3.3, figure 4.10.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/stream.hpp"
#include "problem/mergesort.hpp"

using course::cuda_check, course::DeviceBuffer, course::Stream;
using mergesort::Input, mergesort::Key, mergesort::Output, mergesort::Phase, mergesort::PhaseTimer;

// Longer segments cost comparisons, half a segment for each key; shorter ones cost launches, of
// which there are n / kSegment. Eight blocks of 256 threads fill a multiprocessor: seven go on
// while one waits at a barrier for a single thread's swap.
constexpr int kBlockSize = 256;
constexpr int kSegment = 2 * kBlockSize;
constexpr Key kLargestKey = std::numeric_limits<Key>::max();
constexpr std::size_t kStreams = 32;

// A block a segment, in place; the last one may be short.
__global__ void sort_segments_kernel(Key* keys, std::int64_t count) {
    __shared__ Key s_keys[2 * kSegment];
    __shared__ int s_places[kSegment];
    const int thread = threadIdx.x;
    const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * kSegment;
    const int length = static_cast<int>(min(count - begin, static_cast<std::int64_t>(kSegment)));
    Key* segment = keys + begin;
    for (int i = thread; i < 2 * kSegment; i += kBlockSize) {
        s_keys[i] = i < length ? segment[i] : kLargestKey;
    }
    for (int sorted = 0; sorted < length - 1; ++sorted) {
        Key* unsorted = s_keys + sorted;
        s_places[thread] = thread;
        s_places[thread + kBlockSize] = thread + kBlockSize;
        __syncthreads();  // all places and keys, and the swap of the round before
        for (int stride = kBlockSize; stride > 0; stride /= 2) {
            if (thread < stride) {
                const int place = s_places[thread];
                const int other = s_places[thread + stride];
                // The largest key may be in the list, too. It then is equal to the padding, and a
                // place is given up for a lesser key only: s_places[0] begins with a place of the
                // list, and never comes to be one behind its end.
                if (unsorted[other] < unsorted[place]) s_places[thread] = other;
            }
            __syncthreads();  // the next step reads what other threads wrote in this one
        }
        if (thread == 0) {
            const int smallest = s_places[0];
            const Key key = unsorted[smallest];
            unsorted[smallest] = unsorted[0];
            unsorted[0] = key;
        }
    }
    __syncthreads();  // the last swap
    for (int i = thread; i < length; i += kBlockSize) segment[i] = s_keys[i];
}

// How many of the sorted keys are less than `key`: its place before all that are equal to it.
__device__ __forceinline__ std::int64_t lower_bound(const Key* keys, std::int64_t count, Key key) {
    std::int64_t low = 0;
    std::int64_t high = count;
    while (low < high) {
        const std::int64_t middle = (low + high) / 2;
        if (keys[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// How many are not greater: its place behind all that are equal to it.
__device__ __forceinline__ std::int64_t upper_bound(const Key* keys, std::int64_t count, Key key) {
    std::int64_t low = 0;
    std::int64_t high = count;
    while (low < high) {
        const std::int64_t middle = (low + high) / 2;
        if (key < keys[middle]) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

// Merges from[0, left) and from[left, count), both sorted, into `to`. Of equal keys those on the
// left come first. The same search for both would send an equal pair to one place.
__global__ void merge_runs_kernel(const Key* __restrict__ from, Key* __restrict__ to,
                                  std::int64_t left, std::int64_t count) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlockSize + threadIdx.x;
    if (i >= count) return;
    const Key key = from[i];
    if (i < left) {
        to[i + lower_bound(from + left, count - left, key)] = key;
    } else {
        to[i - left + upper_bound(from, left, key)] = key;
    }
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    timer.begin(Phase::kSetup);
    // They wait for the default stream, where the segments are sorted.
    std::vector<Stream> streams(kStreams);
    DeviceBuffer<Key> d_keys(count), d_buffer(count);

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_keys.data(), input.keys.data(), d_keys.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    Key* from = d_keys.data();
    Key* to = d_buffer.data();
    const std::int64_t segments = (count - 1) / kSegment + 1;
    sort_segments_kernel<<<segments, kBlockSize>>>(from, count);
    cuda_check(cudaGetLastError());
    int passes = 1;
    std::size_t next_stream = 0;
    for (std::int64_t run = kSegment; run < count; run *= 2) {
        for (std::int64_t begin = 0; begin < count; begin += 2 * run) {
            const std::int64_t both = std::min(2 * run, count - begin);
            const std::int64_t blocks = (both - 1) / kBlockSize + 1;
            // A last run without a partner is merged with nothing.
            const cudaStream_t stream = streams[next_stream++ % kStreams].get();
            merge_runs_kernel<<<blocks, kBlockSize, 0, stream>>>(from + begin, to + begin,
                                                                 std::min(run, both), both);
            cuda_check(cudaGetLastError());
        }
        // A merge of the next pass reads what two streams have written, and writes what others may
        // still be reading.
        cuda_check(cudaDeviceSynchronize());
        std::swap(from, to);
        ++passes;
    }

    timer.begin(Phase::kCopyOut);
    cuda_check(cudaMemcpy(output.keys.data(), from, d_keys.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid(segments, kBlockSize);
    timer.declare_work({.bytes = 8.0 * count * passes});  // each key read and written in each pass
}

int main(int argc, char** argv) { return mergesort::run_stage(argc, argv, STAGE_NAME, sort_keys); }
