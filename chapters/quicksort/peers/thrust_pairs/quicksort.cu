// SPDX-License-Identifier: MIT
// Quicksort, stage peers/thrust_pairs: thrust::sort_by_key.
// Idea: one line for pairs. Thrust calls CUB's radix sort of pairs, because the keys are integers
// in ascending order.
// Compared with peers/thrust_sort: sort_by_key(), and a list of values.
// Limit now: the allocation for short lists, memory for long ones.
// Not of the thesis.
#define QUICKSORT_PAIRS
#include <cuda_runtime.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/quicksort.hpp"

using course::cuda_check, course::DeviceBuffer;
using course::sorting::SplitPairs, course::sorting::Value;
using quicksort::Input, quicksort::Output, quicksort::Phase, quicksort::PhaseTimer;
using Key = course::sorting::Key;  // a list of its own, beside that of the values

void sort_pairs(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    timer.begin(Phase::kSetup);
    SplitPairs lists(input.keys);
    DeviceBuffer<Key> d_keys(count);
    DeviceBuffer<Value> d_values(count);

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_keys.data(), lists.keys.data(), d_keys.bytes(), cudaMemcpyHostToDevice));
    cuda_check(
        cudaMemcpy(d_values.data(), lists.values.data(), d_values.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    thrust::sort_by_key(thrust::device, d_keys.data(), d_keys.data() + count, d_values.data());

    timer.begin(Phase::kCopyOut);
    cuda_check(
        cudaMemcpy(lists.keys.data(), d_keys.data(), d_keys.bytes(), cudaMemcpyDeviceToHost));
    cuda_check(
        cudaMemcpy(lists.values.data(), d_values.data(), d_values.bytes(), cudaMemcpyDeviceToHost));
    lists.join(output.keys);
    timer.end();
    timer.declare_work({.bytes = 4.0 * d_keys.bytes()});  // each pair read and written once
}

int main(int argc, char** argv) {
    // The pairs, and temporary storage for about as many.
    return quicksort::run_stage(argc, argv, STAGE_NAME, sort_pairs, {}, 16.2);
}
