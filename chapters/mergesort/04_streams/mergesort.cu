// SPDX-License-Identifier: MIT
// Merge sort, stage 04: a ring of streams for the merges.
// Idea: the merges of a pass share no key. Yet on one stream each waits for the one before, and a
// short merge leaves most of the device idle. Instead, each is launched on the next stream of a
// ring. (The thesis creates and destroys a stream for each merge; a ring is created once.)
// Compared with 03_padded_list: kStreams streams, and a wait for all of them between passes.
// Limit now: the host, which launches n / 512 kernels one by one, and most have ended before the
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

// Longer segments cost comparisons: half a segment per key. Shorter segments cost launches: there
// are n / kSegment of them. Eight blocks of 256 threads fill a multiprocessor: while one block
// waits at a barrier for a single thread's swap, seven others work.
constexpr int kBlockSize = 256;
constexpr int kSegment = 2 * kBlockSize;
constexpr Key kLargestKey = std::numeric_limits<Key>::max();
constexpr std::size_t kStreams = 32;

// One block per segment, in place; the last segment may be short.
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
        __syncthreads();  // the reduction reads all places, and the keys after the last swap
        for (int stride = kBlockSize; stride > 0; stride /= 2) {
            if (thread < stride) {
                const int place = s_places[thread];
                const int other = s_places[thread + stride];
                // The list may hold the largest key, too; it then equals the padding. But a place
                // is given up for a smaller key only: s_places[0] begins as a place in the list and
                // never becomes a place in the padding.
                if (unsorted[other] < unsorted[place]) s_places[thread] = other;
            }
            __syncthreads();  // the next step reads places that other threads wrote
        }
        if (thread == 0) {
            const int smallest = s_places[0];
            const Key key = unsorted[smallest];
            unsorted[smallest] = unsorted[0];
            unsorted[0] = key;
        }
    }
    __syncthreads();  // all keys are in place
    for (int i = thread; i < length; i += kBlockSize) segment[i] = s_keys[i];
}

// How many of the sorted keys are less than `key`: its place before all keys equal to it.
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

// How many of them are not greater than `key`: its place after all keys equal to it.
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
// left come first. The same search for both runs would send two equal keys to one place.
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
    // These streams wait for the default stream, which sorts the segments.
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
            // A last run without a partner is merged with an empty run.
            const cudaStream_t stream = streams[next_stream++ % kStreams].get();
            merge_runs_kernel<<<blocks, kBlockSize, 0, stream>>>(from + begin, to + begin,
                                                                 std::min(run, both), both);
            cuda_check(cudaGetLastError());
        }
        // A merge of the next pass reads keys that two streams wrote, and writes where other
        // streams may still be reading.
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
