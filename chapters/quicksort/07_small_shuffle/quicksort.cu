// SPDX-License-Identifier: MIT
// Quicksort, stage 07: the scan by warp shuffles.
// Idea: a warp scans its 32 values in registers. Its total goes to shared memory, where the first
// warp scans the totals of all warps: two barriers instead of eleven, and 256 bytes of shared
// memory instead of 16 KB.
// Compared with 06_small_streams: scan_over_block, scan_over_warp.
// Limit now: the scan has two dependent halves, each with shuffles of both sums; the thesis found
// it slower. What it gains is shared memory, which stages 08 and 09 fill with keys.
// Thesis 3.3.2.2, figures 3.8 and 3.11.
#include <cuda_runtime.h>

#include "blocks/networks/bitonic_sort.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/quicksort.hpp"
#include "problem/segments.cuh"

using course::cuda_check, course::DeviceBuffer;
using quicksort::Input, quicksort::Key, quicksort::Output, quicksort::Phase, quicksort::PhaseTimer;
using quicksort::kBlockSize, quicksort::kLeafKeys;

constexpr int kWarpSize = 32;
constexpr unsigned int kAllLanes = 0xffffffff;

// Returns the sum of `value` over the lanes of the warp up to and including this one.
__device__ __forceinline__ int2 scan_over_warp(int2 value) {
    const int lane = threadIdx.x % kWarpSize;
    for (int distance = 1; distance < kWarpSize; distance *= 2) {
        const int x = __shfl_up_sync(kAllLanes, value.x, distance);
        const int y = __shfl_up_sync(kAllLanes, value.y, distance);
        if (lane >= distance) {
            value.x += x;
            value.y += y;
        }
    }
    return value;
}

// Returns the sum of `value` over the threads before this one; `total` is the sum over all threads.
__device__ __forceinline__ int2 scan_over_block(int2 value, int2& total) {
    constexpr int kWarps = kBlockSize / kWarpSize;
    static_assert(kWarps == kWarpSize, "the first warp scans the sums of all warps, one per lane");
    __shared__ int2 s_sums[kWarps];
    const int warp = threadIdx.x / kWarpSize, lane = threadIdx.x % kWarpSize;
    int2 sum = scan_over_warp(value);
    if (lane == kWarpSize - 1) s_sums[warp] = sum;
    __syncthreads();  // the first warp reads the sums of all warps
    if (warp == 0) s_sums[lane] = scan_over_warp(s_sums[lane]);
    __syncthreads();  // all warps read the scanned sums
    total = s_sums[kWarps - 1];
    if (warp > 0) {
        const int2 other = s_sums[warp - 1];
        sum.x += other.x;
        sum.y += other.y;
    }
    return make_int2(sum.x - value.x, sum.y - value.y);
}

__global__ void quicksort_segment_kernel(const Key* source, Key* keys, Key* buffer, int count,
                                         int levels, int* first_error);

// Launches the kernel that sorts a part. `levels`: how many partitions in a row it may still do.
__device__ void launch_sort(Key* keys, Key* buffer, int count, int levels, int* first_error) {
    if (count < 2) return;
    cudaStream_t stream = nullptr;
    cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    quicksort::note_launch_error(error, first_error);
    if (count <= kLeafKeys) {
        error = quicksort::launch_block_sort(keys, count, stream);
    } else if (levels == 0) {
        error = quicksort::launch_step_sort(keys, count, stream);
    } else {
        quicksort_segment_kernel<<<1, kBlockSize, 0, stream>>>(keys, keys, buffer, count, levels,
                                                               first_error);
        error = cudaGetLastError();
    }
    quicksort::note_launch_error(error, first_error);
    cudaStreamDestroy(stream);  // takes effect when its kernel has ended
}

// Sorts source[0, count), count >= 1, into keys[0, count). Both may be the same list: in stages 05
// to 09 they always are. buffer[0, count) is the list's second buffer.
__global__ void quicksort_segment_kernel(const Key* source, Key* keys, Key* buffer, int count,
                                         int levels, int* first_error) {
    const int thread = threadIdx.x;
    const Key pivot = source[0];
    int2 mine = make_int2(0, 0);  // keys less than the pivot, and the others
    for (int i = 1 + thread; i < count; i += kBlockSize) {
        const Key key = source[i];
        buffer[i] = key;
        if (key < pivot) {
            ++mine.x;
        } else {
            ++mine.y;
        }
    }
    // The barriers of the scan also separate the reads of `source` from the writes below.
    int2 total;
    const int2 before = scan_over_block(mine, total);
    int left = before.x;
    int right = total.x + 1 + before.y;
    for (int i = 1 + thread; i < count; i += kBlockSize) {
        const Key key = buffer[i];
        keys[key < pivot ? left++ : right++] = key;
    }
    if (thread == 0) keys[total.x] = pivot;  // its final place: every partition makes progress
    __syncthreads();  // a child sees only what its launching thread sees
    if (thread == 0) {
        const int right_begin = total.x + 1;
        launch_sort(keys, buffer, total.x, levels - 1, first_error);
        launch_sort(keys + right_begin, buffer + right_begin, total.y, levels - 1, first_error);
    }
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const int count = static_cast<int>(input.count());
    const int levels = quicksort::depth_limit(count);
    timer.begin(Phase::kSetup);
    quicksort::allow_pending_launches(quicksort::pending_launches(count, count));
    quicksort::LaunchErrors errors;
    DeviceBuffer<Key> d_keys(count), d_buffer(count);

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_keys.data(), input.keys.data(), d_keys.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    quicksort_segment_kernel<<<1, kBlockSize>>>(d_keys.data(), d_keys.data(), d_buffer.data(),
                                                count, levels, errors.data());
    cuda_check(cudaGetLastError());

    timer.begin(Phase::kCopyOut);
    cuda_check(
        cudaMemcpy(output.keys.data(), d_keys.data(), d_keys.bytes(), cudaMemcpyDeviceToHost));
    errors.check();
    timer.end();
    timer.note_grid(1, kBlockSize);
    timer.declare_work({.bytes = 2.0 * d_keys.bytes()});  // each key read and written once
}

int main(int argc, char** argv) {
    return quicksort::run_stage(argc, argv, STAGE_NAME, sort_keys, quicksort::largest_segment);
}
