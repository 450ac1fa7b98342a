// SPDX-License-Identifier: MIT
// Merge sort, stage peers/cub_merge_sort: the merge sort of CUB.
// Idea: the sort that a user picks for keys of any type: it needs only a comparison. A block sorts
// a tile, then each pass merges pairs of runs by merge path, with a launch that finds the
// boundaries before it, as in stage limit/03. There is no kernel to write.
// Compared with limit/06_bulk_tiles: for any keys, and no kernel of our own. --order any allows CUB
// to exchange equal keys; it takes the same algorithm for both.
// Limit now: shared memory, and a pass over all keys for each level of merges.
// Not of the thesis. CUB's documentation, "DeviceMergeSort".
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cub/device/device_merge_sort.cuh>
#include <cub/version.cuh>

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

// CUB's calls need temporary storage. Without it, they only say how much.
void sort_on_device(void* storage, std::size_t& storage_bytes, Key* keys, std::int64_t count,
                    bool stable) {
    cuda_check(
        stable ? cub::DeviceMergeSort::StableSortKeys(storage, storage_bytes, keys, count, IsLess{})
               : cub::DeviceMergeSort::SortKeys(storage, storage_bytes, keys, count, IsLess{}));
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    const bool stable = input.options.choice("--order") == "stable";
    timer.begin(Phase::kSetup);
    DeviceBuffer<Key> d_keys(count);
    std::size_t storage_bytes = 0;
    sort_on_device(nullptr, storage_bytes, d_keys.data(), count, stable);
    DeviceBuffer<unsigned char> d_storage(static_cast<std::int64_t>(storage_bytes));

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_keys.data(), input.keys.data(), d_keys.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    sort_on_device(d_storage.data(), storage_bytes, d_keys.data(), count, stable);

    timer.begin(Phase::kCopyOut);
    cuda_check(
        cudaMemcpy(output.keys.data(), d_keys.data(), d_keys.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.declare_work({.bytes = 2.0 * d_keys.bytes()});  // each key read and written once
    output.report = {{"cub_version", CUB_VERSION}};
}

int main(int argc, char** argv) {
    return mergesort::run_stage(
        argc, argv, STAGE_NAME, sort_keys, nullptr,
        {{"--order", "whether equal keys must keep their order", 0, 0, 0, {"stable", "any"}}});
}
