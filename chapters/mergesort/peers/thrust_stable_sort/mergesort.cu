// SPDX-License-Identifier: MIT
// Merge sort, stage peers/thrust_stable_sort: thrust::stable_sort.
// Idea: one line, with a comparison of our own. Thrust cannot know what it does, so it calls CUB's
// merge sort. With thrust::less on integers it would call the radix sort, which compares no keys:
// that is another problem (quicksort's peers).
// Compared with peers/cub_merge_sort: Thrust allocates the temporary storage inside the call, and
// frees it there. This time belongs to the sort.
// Limit now: the allocation for short lists, shared memory for long ones.
// Not of the thesis.
#include <cuda_runtime.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/mergesort.hpp"

using course::cuda_check, course::DeviceBuffer;
using mergesort::Input, mergesort::Key, mergesort::Output, mergesort::Phase, mergesort::PhaseTimer;

struct IsLess {
    __host__ __device__ bool operator()(const Key& left, const Key& right) const {
        return left < right;
    }
};

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    timer.begin(Phase::kSetup);
    DeviceBuffer<Key> d_keys(count);

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_keys.data(), input.keys.data(), d_keys.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    thrust::stable_sort(thrust::device, d_keys.data(), d_keys.data() + count, IsLess{});

    timer.begin(Phase::kCopyOut);
    cuda_check(
        cudaMemcpy(output.keys.data(), d_keys.data(), d_keys.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.declare_work({.bytes = 2.0 * d_keys.bytes()});  // each key read and written once
}

int main(int argc, char** argv) { return mergesort::run_stage(argc, argv, STAGE_NAME, sort_keys); }
