// SPDX-License-Identifier: MIT
// Quicksort, stage peers/cub_radix_sort: the radix sort of CUB.
// Idea: do not compare keys at all. A pass moves each key to the place that eight of its bits name;
// four passes, from the lowest bits to the highest, put 32-bit keys in order. This is the sort that
// a user would pick, so it is the measure of all others. There is no kernel to write.
// Compared with limit/10_order_in_the_keys: no splitters, and the same work whatever the keys are.
// Limit now: memory. The histograms read each key once; each pass reads and writes it.
// Not of the thesis. Adinets and Merrill 2022, "Onesweep".
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cub/cub.cuh>
#include <limits>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/quicksort.hpp"

using course::cuda_check, course::DeviceBuffer;
using quicksort::Input, quicksort::Key, quicksort::Output, quicksort::Phase, quicksort::PhaseTimer;

// Both calls of CUB: with two buffers, the input may be overwritten, and less storage is needed.
const quicksort::Option kBuffersOption = {
    "--buffers",   "the call of CUB: it keeps the input, or it takes two buffers", 0, 0, 0,
    {"two", "one"}};

// The keys of a sort, its result, and the temporary storage; without storage, a call only says how
// much it needs. Count: int where the number of keys fits, as CUB's places then have 32 bits.
struct Sort {
    Key *keys, *sorted;
    std::int64_t count;
    bool two_buffers;

    // Returns where the sorted keys are.
    template <typename Count>
    Key* run_with(void* storage, std::size_t& storage_bytes) const {
        const auto n = static_cast<Count>(count);
        if (!two_buffers) {  // the input stays as it is
            cuda_check(cub::DeviceRadixSort::SortKeys(storage, storage_bytes, keys, sorted, n));
            return sorted;
        }
        cub::DoubleBuffer<Key> buffers(keys, sorted);
        cuda_check(cub::DeviceRadixSort::SortKeys(storage, storage_bytes, buffers, n));
        return buffers.Current();
    }
    Key* run(void* storage, std::size_t& storage_bytes) const {
        return count <= std::numeric_limits<int>::max()
                   ? run_with<int>(storage, storage_bytes)
                   : run_with<std::int64_t>(storage, storage_bytes);
    }
};

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    timer.begin(Phase::kSetup);
    DeviceBuffer<Key> d_keys(count), d_sorted(count);
    const Sort sort = {d_keys.data(), d_sorted.data(), count,
                       input.options.choice("--buffers") == "two"};
    std::size_t storage_bytes = 0;
    sort.run(nullptr, storage_bytes);
    DeviceBuffer<unsigned char> d_storage(static_cast<std::int64_t>(storage_bytes));

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_keys.data(), input.keys.data(), d_keys.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    const Key* sorted = sort.run(d_storage.data(), storage_bytes);

    timer.begin(Phase::kCopyOut);
    cuda_check(cudaMemcpy(output.keys.data(), sorted, d_sorted.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.declare_work({.bytes = 2.0 * d_keys.bytes()});  // each key read and written once
}

int main(int argc, char** argv) {
    // The keys, the sorted keys, and temporary storage for about as many.
    return quicksort::run_stage(argc, argv, STAGE_NAME, sort_keys, nullptr, {kBuffersOption}, 12.1);
}
