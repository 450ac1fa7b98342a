// SPDX-License-Identifier: MIT
// Quicksort, stage 09: both parts assembled in shared memory.
// Idea: the threads scatter their keys in shared memory, where this costs bank conflicts at most.
// Then they write the whole list, pivot included, side by side.
// Compared with 08_small_segment_shared: s_parts, and the loop that writes it.
// Limit now: one block works on a list, and only one fits on a multiprocessor: its shared memory is
// full.
// Thesis 3.3.2.4 (x1.77 in all), figure 3.11.
#include <cuda_runtime.h>

#include "09_small_sublists_shared/segment_sort.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/quicksort.hpp"
#include "problem/segments.cuh"

using course::cuda_check, course::DeviceBuffer;
using quicksort::Input, quicksort::Key, quicksort::Output, quicksort::Phase, quicksort::PhaseTimer;
using quicksort::kBlockSize, quicksort::quicksort_segment_kernel;

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const int count = static_cast<int>(input.count());
    const int levels = quicksort::depth_limit(count);
    timer.begin(Phase::kSetup);
    quicksort::allow_pending_launches(quicksort::pending_launches(count, count));
    quicksort::LaunchErrors errors;
    DeviceBuffer<Key> d_keys(count);
    quicksort::allow_shared_lists(quicksort_segment_kernel);

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_keys.data(), input.keys.data(), d_keys.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    quicksort_segment_kernel<<<1, kBlockSize, 2 * d_keys.bytes()>>>(d_keys.data(), d_keys.data(),
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
