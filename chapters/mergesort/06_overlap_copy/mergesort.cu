// SPDX-License-Identifier: MIT
// Merge sort, stage 06: the copy overlaps with the selection sort.
// Idea: a segment can be sorted as soon as its own keys have arrived. The list is copied in chunks,
// each on the next stream of the ring. The host copies a chunk into pinned memory. From there the
// copy to the GPU runs by itself, and after it the chunk's sort, while the host is at the next
// chunk. Two pinned chunks take turns: to pin the whole list would cost as much as to copy it.
// Compared with 05_merge_path: the chunks. kernels_ms includes their copies: compare total_ms.
// Limit now: the host's launches; of the copy, the host's own part, into pinned memory.
// Thesis 4.3.5, figures 4.9 and 4.10 (x1.4 in all).
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/stream.hpp"
#include "problem/mergesort.hpp"

using course::cuda_check, course::DeviceBuffer, course::PinnedBuffer;
using course::Event, course::milliseconds_between, course::Stream;
using mergesort::Input, mergesort::Key, mergesort::Output, mergesort::Phase, mergesort::PhaseTimer;

// Longer segments cost comparisons: half a segment per key. Shorter segments cost launches: there
// are n / kSegment of them. Eight blocks of 256 threads fill a multiprocessor: while one block
// waits at a barrier for a single thread's swap, seven others work.
constexpr int kBlockSize = 256;
constexpr int kSegment = 2 * kBlockSize;
constexpr Key kLargestKey = std::numeric_limits<Key>::max();
constexpr std::size_t kStreams = 32;
constexpr std::int64_t kPinnedChunks = 2;

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

// How many keys of `left` are among the first `diagonal` keys of the merge. Of equal keys those of
// `left` come first. So left[i] is among them unless it is greater than right[diagonal - 1 - i],
// which would then be the last key from `right`.
__device__ __forceinline__ std::int64_t merge_path(const Key* left, std::int64_t left_count,
                                                   const Key* right, std::int64_t right_count,
                                                   std::int64_t diagonal) {
    std::int64_t low = max(diagonal - right_count, static_cast<std::int64_t>(0));
    std::int64_t high = min(diagonal, left_count);
    while (low < high) {
        const std::int64_t middle = (low + high) / 2;
        if (right[diagonal - 1 - middle] < left[middle]) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

// Merges from[0, left) and from[left, count), both sorted, into `to`. Of equal keys those on the
// left come first.
__global__ void merge_runs_kernel(const Key* __restrict__ from, Key* __restrict__ to,
                                  std::int64_t left, std::int64_t count) {
    const std::int64_t diagonal = static_cast<std::int64_t>(blockIdx.x) * kBlockSize + threadIdx.x;
    if (diagonal >= count) return;
    const std::int64_t i = merge_path(from, left, from + left, count - left, diagonal);
    const std::int64_t j = left + diagonal - i;
    to[diagonal] = j == count || (i < left && !(from[j] < from[i])) ? from[i] : from[j];
}

// Recorded on the chunk's stream. The sort may start well after copy_end: it needs room on the GPU.
struct ChunkEvents {
    Event copy_begin, copy_end, sort_end;
};

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    const std::int64_t segments = (count - 1) / kSegment + 1;
    const std::int64_t chunk_segments = (segments - 1) / input.options.integer("--chunks") + 1;
    const std::int64_t chunk_keys = std::min(chunk_segments * kSegment, count);
    timer.begin(Phase::kSetup);
    std::vector<Stream> streams(kStreams);
    std::vector<ChunkEvents> chunks((count - 1) / chunk_keys + 1);
    DeviceBuffer<Key> d_keys(count), d_buffer(count);
    PinnedBuffer<Key> h_pinned(kPinnedChunks * chunk_keys);

    timer.begin(Phase::kKernels);
    Key* from = d_keys.data();
    Key* to = d_buffer.data();
    for (std::int64_t chunk = 0; chunk * chunk_keys < count; ++chunk) {
        const std::int64_t begin = chunk * chunk_keys;
        const std::int64_t keys = std::min(chunk_keys, count - begin);
        const cudaStream_t stream = streams[chunk % kStreams].get();
        Key* pinned = h_pinned.data() + chunk % kPinnedChunks * chunk_keys;
        // The copy of the chunk that lay there before must have ended.
        if (chunk >= kPinnedChunks) chunks[chunk - kPinnedChunks].copy_end.synchronize();
        std::copy_n(input.keys.data() + begin, keys, pinned);
        chunks[chunk].copy_begin.record(stream);
        cuda_check(cudaMemcpyAsync(from + begin, pinned, keys * sizeof(Key), cudaMemcpyHostToDevice,
                                   stream));
        chunks[chunk].copy_end.record(stream);
        const std::int64_t blocks = (keys - 1) / kSegment + 1;
        sort_segments_kernel<<<blocks, kBlockSize, 0, stream>>>(from + begin, keys);
        cuda_check(cudaGetLastError());
        chunks[chunk].sort_end.record(stream);
    }
    cuda_check(cudaDeviceSynchronize());  // a merge reads segments that other streams sorted
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
    for (const ChunkEvents& chunk : chunks) {
        std::string times;
        for (const Event* event : {&chunk.copy_begin, &chunk.copy_end, &chunk.sort_end}) {
            times += std::to_string(milliseconds_between(chunks.front().copy_begin, *event)) + ' ';
        }
        times.pop_back();
        output.report.push_back({"chunk_" + std::to_string(&chunk - chunks.data()) + "_ms", times});
    }
}

int main(int argc, char** argv) {
    return mergesort::run_stage(
        argc, argv, STAGE_NAME, sort_keys, nullptr,
        {{"--chunks", "chunks of the list, each of at least one segment", 16, 1, 4096}});
}
