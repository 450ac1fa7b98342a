// SPDX-License-Identifier: MIT
// Quicksort, stage peers/thrust_sort: thrust::sort.
// Idea: one line. Thrust sees that the keys are integers, and that they are to be in ascending
// order, so it calls CUB's radix sort. With a comparison of the user's own, it merges instead.
// Compared with peers/cub_radix_sort: Thrust allocates the temporary storage inside the call, and
// frees it there. This time belongs to the sort.
// Limit now: the allocation for short lists, memory for long ones.
// Not of the thesis.
#include <cuda_runtime.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/quicksort.hpp"

using course::cuda_check, course::DeviceBuffer;
using quicksort::Input, quicksort::Key, quicksort::Output, quicksort::Phase, quicksort::PhaseTimer;

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    timer.begin(Phase::kSetup);
    DeviceBuffer<Key> d_keys(count);

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_keys.data(), input.keys.data(), d_keys.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    thrust::sort(thrust::device, d_keys.data(), d_keys.data() + count);

    timer.begin(Phase::kCopyOut);
    cuda_check(
        cudaMemcpy(output.keys.data(), d_keys.data(), d_keys.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.declare_work({.bytes = 2.0 * d_keys.bytes()});  // each key read and written once
}

int main(int argc, char** argv) {
    // The keys, and temporary storage for about as many.
    return quicksort::run_stage(argc, argv, STAGE_NAME, sort_keys, nullptr, {}, 8.1);
}
