// SPDX-License-Identifier: MIT
// Quicksort, stage peers/cub_radix_sort: the radix sort of CUB.
// Idea: do not compare keys at all. A pass moves each key to the place that eight of its bits name;
// four passes, from the lowest bits to the highest, put 32-bit keys in order. This is the sort that
// a user would pick, so it is the measure of all others. There is no kernel to write.
// Compared with limit/09_two_pipes: no splitters, and the same work whatever the keys are.
// Limit now: memory. The histograms read each key once; each pass reads and writes it.
// Not of the thesis. Adinets and Merrill 2022, "Onesweep".
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cub/cub.cuh>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/quicksort.hpp"

using course::cuda_check, course::DeviceBuffer;
using quicksort::Input, quicksort::Key, quicksort::Output, quicksort::Phase, quicksort::PhaseTimer;

// CUB's calls need temporary storage. Without it, they only say how much.
void sort_on_device(void* storage, std::size_t& storage_bytes, const Key* keys, Key* sorted,
                    std::int64_t count) {
    cuda_check(cub::DeviceRadixSort::SortKeys(storage, storage_bytes, keys, sorted, count));
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    timer.begin(Phase::kSetup);
    DeviceBuffer<Key> d_keys(count), d_sorted(count);
    std::size_t storage_bytes = 0;
    sort_on_device(nullptr, storage_bytes, d_keys.data(), d_sorted.data(), count);
    DeviceBuffer<unsigned char> d_storage(static_cast<std::int64_t>(storage_bytes));

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_keys.data(), input.keys.data(), d_keys.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    sort_on_device(d_storage.data(), storage_bytes, d_keys.data(), d_sorted.data(), count);

    timer.begin(Phase::kCopyOut);
    cuda_check(
        cudaMemcpy(output.keys.data(), d_sorted.data(), d_sorted.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.declare_work({.bytes = 2.0 * d_keys.bytes()});  // each key read and written once
}

int main(int argc, char** argv) {
    // The keys, the sorted keys, and temporary storage for about as many.
    return quicksort::run_stage(argc, argv, STAGE_NAME, sort_keys, nullptr, {}, 12.1);
}
