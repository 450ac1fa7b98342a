// SPDX-License-Identifier: MIT
// Quicksort, stage peers/cub_pairs: pairs by the radix sort of CUB.
// Idea: the call that a user would pick for pairs. Keys and values are two lists, and each pass
// moves a key's value with the key. Like stage peers/cub_radix_sort, it is the measure for our own
// sort.
// Compared with peers/cub_radix_sort: SortPairs(), and a second list on both sides.
// Limit now: memory. A pass reads and writes 8 bytes for each pair, instead of 4 for each key.
// Not of the thesis. Adinets and Merrill 2022, "Onesweep".
#define QUICKSORT_PAIRS
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cub/cub.cuh>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/quicksort.hpp"

using course::cuda_check, course::DeviceBuffer;
using course::sorting::SplitPairs, course::sorting::Value;
using quicksort::Input, quicksort::Output, quicksort::Phase, quicksort::PhaseTimer;
using Key = course::sorting::Key;  // a list of its own, beside that of the values

// CUB's calls need temporary storage. Without it, they only say how much.
void sort_on_device(void* storage, std::size_t& storage_bytes, const Key* keys, Key* sorted,
                    const Value* values, Value* sorted_values, std::int64_t count) {
    cuda_check(cub::DeviceRadixSort::SortPairs(storage, storage_bytes, keys, sorted, values,
                                               sorted_values, count));
}

void sort_pairs(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    timer.begin(Phase::kSetup);
    SplitPairs lists(input.keys);
    DeviceBuffer<Key> d_keys(count), d_sorted(count);
    DeviceBuffer<Value> d_values(count), d_sorted_values(count);
    std::size_t storage_bytes = 0;
    sort_on_device(nullptr, storage_bytes, d_keys.data(), d_sorted.data(), d_values.data(),
                   d_sorted_values.data(), count);
    DeviceBuffer<unsigned char> d_storage(static_cast<std::int64_t>(storage_bytes));

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_keys.data(), lists.keys.data(), d_keys.bytes(), cudaMemcpyHostToDevice));
    cuda_check(
        cudaMemcpy(d_values.data(), lists.values.data(), d_values.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    sort_on_device(d_storage.data(), storage_bytes, d_keys.data(), d_sorted.data(), d_values.data(),
                   d_sorted_values.data(), count);

    timer.begin(Phase::kCopyOut);
    cuda_check(
        cudaMemcpy(lists.keys.data(), d_sorted.data(), d_sorted.bytes(), cudaMemcpyDeviceToHost));
    cuda_check(cudaMemcpy(lists.values.data(), d_sorted_values.data(), d_sorted_values.bytes(),
                          cudaMemcpyDeviceToHost));
    lists.join(output.keys);
    timer.end();
    timer.declare_work({.bytes = 4.0 * d_keys.bytes()});  // each pair read and written once
}

int main(int argc, char** argv) {
    // The pairs, the sorted pairs, and temporary storage for about as many.
    return quicksort::run_stage(argc, argv, STAGE_NAME, sort_pairs, {}, 24.2);
}
