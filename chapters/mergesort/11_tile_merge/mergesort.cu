// SPDX-License-Identifier: MIT
// Merge sort, stage 11: a merge by tiles.
// Idea: a block writes a tile of 4096 keys. Two searches in global memory find which parts of the
// left and of the right run the tile needs. The block loads both side by side, with neighbouring
// threads at neighbouring keys. The threads' own searches, and the merge, are in shared memory.
// Compared with 09_multisort_merge_path: one search in global memory per tile instead of one per
// thread; all loads and stores of keys are coalesced.
// Limit now: 24 levels, each of which reads and writes all keys. In each, a block first waits for
// its two searches. The sort and the eight levels of short runs take 40 % of the time or more.
// Not of the thesis. Green, McColl and Bader 2012, "GPU Merge Path".
#include <cuda_runtime.h>

#include <cstdint>
#include <utility>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/mergesort.hpp"
#include "problem/multisort.hpp"

using course::cuda_check, course::DeviceBuffer;
using mergesort::Input, mergesort::Key, mergesort::Output, mergesort::Phase, mergesort::PhaseTimer;

constexpr int kThreads = 256;
constexpr int kKeysPerThread = 16;
constexpr int kTileKeys = kThreads * kKeysPerThread;

// In shared memory one word in 17 stays empty, so the first keys of 32 threads lie in 32 banks.
__host__ __device__ constexpr unsigned padded(unsigned place) {
    return place + place / kKeysPerThread;
}

// A tile, and the place after it: a merge reads one key too many.
constexpr unsigned kSharedKeys = padded(kTileKeys) + 1;

struct PaddedKeys {
    Key* s_keys;
    __device__ Key& operator[](int place) const {
        return s_keys[padded(static_cast<unsigned>(place))];
    }
};

// Sorts 16 keys per thread by insertion. Equal keys keep their order.
__global__ void sort_runs_kernel(Key* keys, std::int64_t count) {
    const std::int64_t begin =
        (static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x) * kKeysPerThread;
    const std::int64_t end = min(begin + kKeysPerThread, count);
    for (std::int64_t i = begin + 1; i < end; ++i) {
        const Key key = keys[i];
        std::int64_t place = i;
        for (; place > begin && keys[place - 1] > key; --place) keys[place] = keys[place - 1];
        keys[place] = key;
    }
}

// How many of the first `diagonal` keys of a merge come from its left run, keys[begin, middle). The
// right run is keys[middle, end). Of equal keys those of the left run come first.
template <typename Keys, typename Place>
__device__ __forceinline__ Place merge_path(Keys keys, Place begin, Place middle, Place end,
                                            Place diagonal) {
    Place low = max(diagonal - (end - middle), Place{0});
    Place high = min(diagonal, middle - begin);
    while (low < high) {
        const Place i = low + ((high - low) >> 1);
        if (keys[middle + diagonal - 1 - i] < keys[begin + i]) {
            high = i;
        } else {
            low = i + 1;
        }
    }
    return low;
}

// Merges until `merged` is full. Each step loads one key: the one that follows the key it took. So
// the place after the last key is read, too.
__device__ __forceinline__ void merge_keys(PaddedKeys keys, int left, int left_end, int right,
                                           int right_end, Key (&merged)[kKeysPerThread]) {
    Key left_key = keys[left], right_key = keys[right];
#pragma unroll
    for (int k = 0; k < kKeysPerThread; ++k) {
        const bool takes_right = right < right_end && (left >= left_end || right_key < left_key);
        merged[k] = takes_right ? right_key : left_key;
        const Key next = keys[takes_right ? ++right : ++left];
        if (takes_right) {
            right_key = next;
        } else {
            left_key = next;
        }
    }
}

// Merges runs of `run` keys, 16 times a power of two, into runs of twice as many: one block per
// tile of the result. The last run may be short; without a partner it is copied.
__global__ void __launch_bounds__(kThreads)
    merge_tiles_kernel(const Key* __restrict__ from, Key* __restrict__ to, std::int64_t count,
                       std::int64_t run) {
    __shared__ Key s_keys[kSharedKeys];
    __shared__ std::int64_t s_paths[2];
    const PaddedKeys keys = {s_keys};
    const int thread = threadIdx.x;
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kTileKeys;
    const int tile_count = static_cast<int>(min(count - first, std::int64_t{kTileKeys}));
    // The pair of runs that the tile lies in. Pairs shorter than a tile lie in it: see below.
    const std::int64_t begin = first & ~(2 * run - 1);
    const std::int64_t middle = min(begin + run, count), end = min(begin + 2 * run, count);
    const bool whole_pairs = 2 * run <= kTileKeys;
    // Two threads, of two warps: what comes before the tile, and before its end.
    if (thread % 32 == 0 && thread < 64) {
        const std::int64_t diagonal = first - begin + (thread == 0 ? 0 : tile_count);
        s_paths[thread / 32] =
            whole_pairs ? thread / 32 * tile_count : merge_path(from, begin, middle, end, diagonal);
    }
    __syncthreads();
    // The tile's keys: first left_count of the left run, then those of the right run.
    const int left_count = static_cast<int>(s_paths[1] - s_paths[0]);
    const Key* left_keys = from + begin + s_paths[0];
    const Key* right_keys = from + middle + (first - begin - s_paths[0]) - left_count;
#pragma unroll
    for (int i = thread; i <= kTileKeys; i += kThreads) {
        const int place = min(i, tile_count - 1);  // after the end, the last key once more
        keys[i] = (place < left_count ? left_keys : right_keys)[place];
    }
    __syncthreads();
    // The pair of runs in shared memory that this thread's keys come from.
    const int window = thread * kKeysPerThread;
    const int short_run = static_cast<int>(min(run, std::int64_t{kTileKeys}));
    const int left = whole_pairs ? window & ~(2 * short_run - 1) : 0;
    const int left_end = min(left + (whole_pairs ? short_run : left_count), tile_count);
    const int right_end = whole_pairs ? min(left + 2 * short_run, tile_count) : tile_count;
    const int path = merge_path(keys, left, left_end, right_end, window - left);
    Key own[kKeysPerThread];
    merge_keys(keys, left + path, left_end, left_end + window - left - path, right_end, own);
    __syncthreads();  // all threads have read
#pragma unroll
    for (int k = 0; k < kKeysPerThread; ++k) keys[window + k] = own[k];
    __syncthreads();
    for (int i = thread; i < tile_count; i += kThreads) to[first + i] = keys[i];
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    const int tiles = mergesort::blocks_for(count, kTileKeys);
    timer.begin(Phase::kSetup);
    DeviceBuffer<Key> d_from(count), d_to(count);

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_from.data(), input.keys.data(), d_from.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    sort_runs_kernel<<<tiles, kThreads>>>(d_from.data(), count);
    cuda_check(cudaGetLastError());
    for (std::int64_t run = kKeysPerThread; run < count; run *= 2) {
        merge_tiles_kernel<<<tiles, kThreads>>>(d_from.data(), d_to.data(), count, run);
        cuda_check(cudaGetLastError());
        std::swap(d_from, d_to);
    }

    timer.begin(Phase::kCopyOut);
    cuda_check(
        cudaMemcpy(output.keys.data(), d_from.data(), d_from.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid(tiles, kThreads);
    timer.declare_work(mergesort::multisort_work(count, kKeysPerThread));
}

int main(int argc, char** argv) { return mergesort::run_stage(argc, argv, STAGE_NAME, sort_keys); }
