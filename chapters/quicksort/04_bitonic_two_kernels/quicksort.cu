// SPDX-License-Identifier: MIT
// Quicksort, stage 04: bitonic sort of any length, one launch per step.
// Idea: blocks cannot wait for one another, but a kernel waits for the kernel before it. With the
// loops on the host, the end of a launch is the barrier, and the list may fill the memory.
// Compared with 03_bitonic_first_step: two kernels of one step each, many blocks, 64-bit indices,
// no shared memory. 2048 keys take 66 launches instead of one.
// Limit now: launches for short lists; memory for long ones, because each step reads all keys.
// Thesis 3.3.1 and appendix A, figure 3.10.
#include <cuda_runtime.h>

#include <cstdint>
#include <limits>
#include <stdexcept>

#include "04_bitonic_two_kernels/step_sort.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/quicksort.hpp"

using course::cuda_check, course::DeviceBuffer;
using quicksort::Input, quicksort::Key, quicksort::Output, quicksort::Phase, quicksort::PhaseTimer;

constexpr int kBlockSize = 256;

// Blocks for the pairs of a list that is cut into parts of `size` keys; the last may be short.
int blocks_for(std::int64_t count, std::int64_t size) {
    const std::int64_t pairs = (count + size - 1) / size * (size / 2);
    const std::int64_t blocks = (pairs + kBlockSize - 1) / kBlockSize;
    if (blocks > std::numeric_limits<int>::max()) {
        throw std::length_error("a grid has at most 2^31 - 1 blocks");
    }
    return static_cast<int>(blocks);
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    timer.begin(Phase::kSetup);
    DeviceBuffer<Key> d_keys(count);

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_keys.data(), input.keys.data(), d_keys.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    std::int64_t compared = 0;  // keys compared, over all steps
    for (std::int64_t size = 2; size < 2 * count; size *= 2) {
        quicksort::compare_mirrored_kernel<<<blocks_for(count, size), kBlockSize>>>(d_keys.data(),
                                                                                    count, size);
        cuda_check(cudaGetLastError());
        compared += count / size * size;
        for (std::int64_t stride = size / 4; stride > 0; stride /= 2) {
            quicksort::compare_strided_kernel<<<blocks_for(count, 2 * stride), kBlockSize>>>(
                d_keys.data(), count, stride);
            cuda_check(cudaGetLastError());
            compared += count / (2 * stride) * (2 * stride);
        }
    }

    timer.begin(Phase::kCopyOut);
    cuda_check(
        cudaMemcpy(output.keys.data(), d_keys.data(), d_keys.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid(blocks_for(count, 2), kBlockSize);
    timer.declare_work(
        {.bytes = 4.0 * compared});  // each compared key is read; only exchanged keys are written
}

int main(int argc, char** argv) { return quicksort::run_stage(argc, argv, STAGE_NAME, sort_keys); }
