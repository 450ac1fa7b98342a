// SPDX-License-Identifier: MIT
// Quicksort, stage limit/03: leaves are sorted in registers.
// Idea: a thread keeps 16 keys in registers, and the network runs on them. Two keys of one thread
// are compared without any access, keys of two lanes by a shuffle. Only keys of different warps
// meet in shared memory, where no two threads of a warp access the same bank: a leaf of 8192 keys
// needs 21 barriers instead of 92. A short leaf uses fewer warps.
// Compared with limit/02_staged_runs: sort_leaves_kernel.
// Limit now: the shuffles, and leaves of very different lengths.
// Not of the thesis. Batcher 1968, "Sorting networks and their applications".
#include <cuda_runtime.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "device/equal_parts.cuh"
#include "device/multiway.cuh"
#include "device/network_steps.cuh"
#include "device/round_sort.cuh"
#include "device/rounds.cuh"
#include "device/splitters/spaced_splitters.cuh"
#include "device/staged_runs.cuh"
#include "problem/quicksort.hpp"

using course::cuda_check, quicksort::Round;
using quicksort::compare_warps, quicksort::kLeafKeys, quicksort::keep, quicksort::merge_registers;
using quicksort::Input, quicksort::Key, quicksort::Leaf, quicksort::Output, quicksort::PhaseTimer;
using quicksort::kBuckets, quicksort::kKeysPerThread, quicksort::kLargestKey, quicksort::kThreads;
using quicksort::kSplitters;
using quicksort::padded, quicksort::sort_registers;

// A step of a merge, within a warp: compares each key with one of the lane whose number differs in
// the bits of `mask`. It is in the same register, or, if mirrored, in the same one from the end.
template <bool kMirrored, int kKeys>
__device__ __forceinline__ void compare_lanes(Key (&keys)[kKeys], int mask, bool upper) {
#pragma unroll
    for (int j = 0; j < (kKeys + 1) / 2; ++j) {
        const int k = kKeys - 1 - j;  // in the middle of an odd number, j itself
        const Key first = __shfl_xor_sync(0xffffffff, keys[kMirrored ? k : j], mask);
        const Key second = j < k ? __shfl_xor_sync(0xffffffff, keys[kMirrored ? j : k], mask) : 0;
        keys[j] = keep(keys[j], first, upper);
        if (j < k) keys[k] = keep(keys[k], second, upper);
    }
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
    const auto launch_round = [](const Round& round) {
        quicksort::choose_splitters_kernel<<<round.sizes.lists, kSplitters>>>(
            round.pass.from, round.pass.lists, round.splitters);
        cuda_check(cudaGetLastError());
        quicksort::count_buckets_kernel<<<round.sizes.tiles, kThreads>>>(round.pass);
        cuda_check(cudaGetLastError());
        quicksort::place_children_kernel<<<round.sizes.lists, kBuckets>>>(round.pass, round.next);
        cuda_check(cudaGetLastError());
        quicksort::move_keys_kernel<<<round.sizes.tiles, kThreads>>>(round.pass);
        cuda_check(cudaGetLastError());
    };
    const auto launch_leaves = [](const Key* from, Key* keys, const Leaf* leaves, unsigned count) {
        sort_leaves_kernel<<<count, kThreads>>>(from, keys, leaves);
        cuda_check(cudaGetLastError());
    };
    quicksort::sort_in_rounds(input, output, timer, {kBuckets, kSplitters, kLeafKeys}, launch_round,
                              launch_leaves);
}

int main(int argc, char** argv) {
    return quicksort::run_stage(argc, argv, STAGE_NAME, sort_keys, nullptr,
                                {quicksort::kRoundsOption}, quicksort::kBytesPerKey);
}
