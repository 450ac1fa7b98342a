// SPDX-License-Identifier: MIT
// The host's part of this path: operands are padded, and a block is launched per tile.
#pragma once

#include <cuda_runtime.h>

#include "common/cuda/shared_memory.hpp"
#include "limit/01_warp_tiles/tiles.cuh"
#include "problem/on_device.cuh"
#include "problem/padding.cuh"

namespace matmul {

// The tiles that C is cut into.
template <class S>
int tiles_of(int m, int n) {
    return (m + S::kTileRows - 1) / S::kTileRows * ((n + S::kTileColumns - 1) / S::kTileColumns);
}

// Multiplies by `kernel(a, b, c, m, n, padded_n, k)`, which has the shape S. Errors: of CUDA
// (cuda_check.hpp), and of course::allow_dynamic_shared.
template <class S, class Kernel>
void multiply_tiles(const Input& input, Output& output, PhaseTimer& timer, Kernel* kernel) {
    timer.begin(Phase::kSetup);
    Padding<float> padding(input.m, input.n, input.k, S::kDepth, kGroup);
    course::allow_dynamic_shared(kernel, S::kRingBytes);
    const dim3 blocks(tiles_of<S>(input.m, input.n));
    const auto launch = [&](const float* a, const float* b, float* c) {
        kernel<<<blocks, S::kBlockSize, S::kRingBytes>>>(
            padding.pad_a(a), padding.pad_b(b), c, input.m, input.n, padding.n(), padding.k());
    };
    multiply_on_device(input, output, timer, blocks, S::kBlockSize, launch);
}

}  // namespace matmul
