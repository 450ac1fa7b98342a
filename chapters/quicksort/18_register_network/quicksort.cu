// SPDX-License-Identifier: MIT
// Quicksort, stage 18: leaves are sorted in registers.
// Idea: a thread keeps 16 keys in registers, and the network runs on them. Two keys of one thread
// are compared without any access, keys of two lanes by a shuffle. Only keys of different warps
// meet in shared memory, where no two threads of a warp access the same bank: a leaf of 8192 keys
// needs 21 barriers instead of 92. A short leaf uses fewer warps.
// Compared with 17_staged_runs: sort_leaves_kernel.
// Limit now: the shuffles, and leaves of very different lengths.
// Not of the thesis. Batcher 1968, "Sorting networks and their applications".
#include <cuda_runtime.h>

#include <cstdint>
#include <utility>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "device/equal_parts.cuh"
#include "device/multiway.cuh"
#include "device/rounds.cuh"
#include "device/spaced_splitters.cuh"
#include "device/staged_runs.cuh"
#include "problem/quicksort.hpp"

using course::cuda_check, course::DeviceBuffer;
using quicksort::Input, quicksort::Key, quicksort::Leaf, quicksort::NextRound, quicksort::Output;
using quicksort::kBuckets, quicksort::kKeysPerThread, quicksort::kLargestKey, quicksort::kThreads;
using quicksort::kLeafKeys, quicksort::kSplitters, quicksort::kTileKeys, quicksort::Pass;
using quicksort::Phase, quicksort::PhaseTimer, quicksort::RoundMemory, quicksort::RoundSizes;

__device__ __forceinline__ void order(Key& first, Key& second) {
    const Key smaller = min(first, second);
    second = max(first, second);
    first = smaller;
}

// Batcher's odd-even merge sort: 63 comparisons for 16 keys.
template <int kKeys>
__device__ __forceinline__ void sort_registers(Key (&keys)[kKeys]) {
#pragma unroll
    for (int p = 1; p < kKeys; p *= 2) {
#pragma unroll
        for (int q = p; q > 0; q /= 2) {
#pragma unroll
            for (int i = 0; i < kKeys; ++i) {
                const bool first = i + q < kKeys && i >= q % p && (i - q % p) % (2 * q) < q;
                if (first && i / (2 * p) == (i + q) / (2 * p)) order(keys[i], keys[i + q]);
            }
        }
    }
}

// The last steps of a bitonic merge: those within a thread.
template <int kKeys>
__device__ __forceinline__ void merge_registers(Key (&keys)[kKeys]) {
#pragma unroll
    for (int stride = kKeys / 2; stride > 0; stride /= 2) {
#pragma unroll
        for (int i = 0; i < kKeys; ++i) {
            if ((i & stride) == 0) order(keys[i], keys[i + stride]);
        }
    }
}

// A step of a merge, within a warp: compares each key with one of the thread whose number differs
// in the bits of `mask`. It is in the same register, or, if mirrored, in the same one from the end.
// `upper` threads keep the larger keys.
template <bool kMirrored, int kKeys>
__device__ __forceinline__ void compare_lanes(Key (&keys)[kKeys], int mask, bool upper) {
#pragma unroll
    for (int j = 0; j < kKeys / 2; ++j) {
        const int k = kKeys - 1 - j;
        const Key first = __shfl_xor_sync(0xffffffff, keys[kMirrored ? k : j], mask);
        const Key second = __shfl_xor_sync(0xffffffff, keys[kMirrored ? j : k], mask);
        keys[j] = upper ? max(keys[j], first) : min(keys[j], first);
        keys[k] = upper ? max(keys[k], second) : min(keys[k], second);
    }
}

// Between warps, in shared memory. All kBlock threads of the block call; the first `used` compare.
template <int kBlock, bool kMirrored, int kKeys>
__device__ __forceinline__ void compare_warps(Key (&keys)[kKeys], Key* s_keys, int used, int mask,
                                              bool upper) {
    const int thread = threadIdx.x;
#pragma unroll
    for (int j = 0; j < kKeys; ++j) s_keys[j * kBlock + thread] = keys[j];
    __syncthreads();
    if (thread < used) {
#pragma unroll
        for (int j = 0; j < kKeys; ++j) {
            const int row = kMirrored ? kKeys - 1 - j : j;
            const Key other = s_keys[row * kBlock + (thread ^ mask)];
            keys[j] = upper ? max(keys[j], other) : min(keys[j], other);
        }
    }
    __syncthreads();  // the next step overwrites s_keys
}

// Sorts the keys of the first `used` threads: 32, 64, 128 … Thread t then has those from 16 t on.
template <int kBlock, int kKeys>
__device__ __forceinline__ void sort_block(Key (&keys)[kKeys], Key* s_keys, int used) {
    const int thread = threadIdx.x;
    const bool sorts = thread < used;
    if (sorts) sort_registers(keys);
#pragma unroll 1
    for (int half = 1; half < used; half *= 2) {  // merges the keys of `half` threads with the next
        if (half >= 32) {
            compare_warps<kBlock, true>(keys, s_keys, used, 2 * half - 1, thread & half);
        } else if (sorts) {
            compare_lanes<true>(keys, 2 * half - 1, thread & half);
        }
#pragma unroll 1
        for (int stride = half / 2; stride > 0; stride /= 2) {
            if (stride >= 32) {
                compare_warps<kBlock, false>(keys, s_keys, used, stride, thread & stride);
            } else if (sorts) {
                compare_lanes<false>(keys, stride, thread & stride);
            }
        }
        if (sorts) merge_registers(keys);
    }
}

// One word in 17 stays empty, so the first keys of 32 threads lie in 32 banks.
__device__ int padded(int place) { return place + place / kKeysPerThread; }

__global__ void __launch_bounds__(kThreads, 2)
    sort_leaves_kernel(const Key* from, Key* sorted, const Leaf* leaves) {
    __shared__ Key s_keys[kLeafKeys + kThreads];
    const Leaf leaf = leaves[blockIdx.x];
    const int thread = threadIdx.x;
    if (leaf.constant) return fill_leaf(leaf, sorted);
    int used = 32;
    while (used * kKeysPerThread < leaf.count) used *= 2;
    Key keys[kKeysPerThread];
#pragma unroll
    for (int j = 0; j < kKeysPerThread; ++j) {
        const int i = j * used + thread;
        keys[j] = thread < used && i < leaf.count ? from[leaf.begin + i] : kLargestKey;
    }
    sort_block<kThreads>(keys, s_keys, used);
#pragma unroll
    for (int j = 0; j < kKeysPerThread; ++j) s_keys[padded(thread * kKeysPerThread + j)] = keys[j];
    __syncthreads();
    for (int i = thread; i < leaf.count; i += kThreads) sorted[leaf.begin + i] = s_keys[padded(i)];
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    timer.begin(Phase::kSetup);
    DeviceBuffer<Key> d_keys(count), d_buffer(count);
    RoundMemory memory(count, kBuckets, kTileKeys, kLeafKeys);
    DeviceBuffer<Key> d_splitters(kSplitters * memory.most_lists());

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_keys.data(), input.keys.data(), d_keys.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    Key *from = d_keys.data(), *to = d_buffer.data(), *splitters = d_splitters.data();
    RoundSizes sizes = memory.begin(count);
    int round = 0;
    for (; sizes.lists > 0 && round < input.options.integer("--rounds"); ++round) {
        const NextRound next = memory.next(round);
        const Pass pass = {
            from, to, memory.lists(round), memory.list_of_tile(round), splitters, memory.counts()};
        memory.clear(sizes.lists);
        quicksort::choose_splitters_kernel<<<sizes.lists, kSplitters>>>(from, pass.lists,
                                                                        splitters);
        cuda_check(cudaGetLastError());
        quicksort::count_buckets_kernel<<<sizes.tiles, kThreads>>>(pass);
        cuda_check(cudaGetLastError());
        quicksort::place_children_kernel<<<sizes.lists, kBuckets>>>(pass, next);
        cuda_check(cudaGetLastError());
        quicksort::move_keys_kernel<<<sizes.tiles, kThreads>>>(pass);
        cuda_check(cudaGetLastError());
        sizes = memory.next_sizes();
        if (sizes.leaves > 0) {
            sort_leaves_kernel<<<sizes.leaves, kThreads>>>(to, d_keys.data(), next.leaves);
            cuda_check(cudaGetLastError());
        }
        std::swap(from, to);
    }
    memory.sort_lists_left(round, sizes.lists, from, d_keys.data());

    timer.begin(Phase::kCopyOut);
    cuda_check(
        cudaMemcpy(output.keys.data(), d_keys.data(), d_keys.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid((count - 1) / kTileKeys + 1, kThreads);
    timer.declare_work({.bytes = 2.0 * d_keys.bytes()});  // each key read and written once
    output.report = {{"rounds", round}, {"lists_left", sizes.lists}};
}

int main(int argc, char** argv) {
    return quicksort::run_stage(argc, argv, STAGE_NAME, sort_keys, nullptr,
                                {quicksort::kRoundsOption}, quicksort::kBytesPerKey);
}
