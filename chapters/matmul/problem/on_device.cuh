// SPDX-License-Identifier: MIT
// The host's part, which is the same in all stages: memory, copies, and the phases that are timed.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/matmul.hpp"

namespace matmul {

// The list itself, or a copy with another type of numbers.
template <class Number>
auto with_numbers(const std::vector<float>& list) {
    if constexpr (std::is_same_v<Number, float>) {
        return std::span(list);
    } else {
        return std::vector<Number>(list.begin(), list.end());
    }
}

// Computes C on the device, whose numbers are of this type: float, or one that a float can be
// converted to and back. `launch(a, b, c)` launches the stage's kernel, with `blocks` blocks of
// `block_size` threads: A is m x k, B is k x n and C is m x n cells, by rows. Errors: of CUDA
// (cuda_check.hpp).
template <class Number = float, class Launch>
void multiply_on_device(const Input& input, Output& output, PhaseTimer& timer, dim3 blocks,
                        int block_size, Launch launch) {
    timer.begin(Phase::kSetup);
    course::DeviceBuffer<Number> d_a(input.a.size()), d_b(input.b.size()), d_c(input.cells());
    const auto a = with_numbers<Number>(input.a), b = with_numbers<Number>(input.b);

    timer.begin(Phase::kCopyIn);
    course::cuda_check(cudaMemcpy(d_a.data(), a.data(), d_a.bytes(), cudaMemcpyHostToDevice));
    course::cuda_check(cudaMemcpy(d_b.data(), b.data(), d_b.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    launch(d_a.data(), d_b.data(), d_c.data());
    course::cuda_check(cudaGetLastError());

    timer.begin(Phase::kCopyOut);
    if constexpr (std::is_same_v<Number, float>) {
        course::cuda_check(
            cudaMemcpy(output.c.data(), d_c.data(), d_c.bytes(), cudaMemcpyDeviceToHost));
        timer.end();
    } else {
        std::vector<Number> c(output.c.size());
        course::cuda_check(cudaMemcpy(c.data(), d_c.data(), d_c.bytes(), cudaMemcpyDeviceToHost));
        timer.end();
        std::ranges::copy(c, output.c.begin());
    }
    timer.note_grid(static_cast<std::int64_t>(blocks.x) * blocks.y, block_size);
    timer.declare_work(work_of(input));
}

}  // namespace matmul
