// SPDX-License-Identifier: MIT
// Quicksort, stage 03: the first step outside the loops.
// Idea: the merge of runs of one key compares neighbours, so its indices need no masks. It is also
// the only merge without an inner loop: it can leave the outer loop.
// Compared with 02_bitonic_shared: this step comes before the loops, which now start with runs of 4
// keys. The barrier after it is the one that the thesis forgot.
// Limit now: barriers, as before.
// Thesis 3.3.1.2, figure 3.9.
#include <cuda_runtime.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "03_bitonic_first_step/block_sort.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/quicksort.hpp"

using course::cuda_check, course::DeviceBuffer;
using quicksort::Input, quicksort::Key, quicksort::Output, quicksort::Phase, quicksort::PhaseTimer;

std::int64_t largest_n() {
    int device = 0;
    int threads = 0;
    cuda_check(cudaGetDevice(&device));
    cuda_check(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerBlock, device));
    return 2 * threads;
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const int count = static_cast<int>(input.count());  // at most largest_n()
    timer.begin(Phase::kSetup);
    DeviceBuffer<Key> d_keys(count);

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_keys.data(), input.keys.data(), d_keys.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    const int threads = std::max(1u, std::bit_ceil(static_cast<unsigned>(count)) / 2);
    quicksort::sort_block_kernel<<<1, threads, d_keys.bytes()>>>(d_keys.data(), count);
    cuda_check(cudaGetLastError());

    timer.begin(Phase::kCopyOut);
    cuda_check(
        cudaMemcpy(output.keys.data(), d_keys.data(), d_keys.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid(1, threads);
    timer.declare_work({.bytes = 8.0 * count});  // each key read and written once
}

int main(int argc, char** argv) {
    return quicksort::run_stage(argc, argv, STAGE_NAME, sort_keys, largest_n);
}
