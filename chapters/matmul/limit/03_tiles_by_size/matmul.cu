// SPDX-License-Identifier: MIT
// Matmul, stage limit/03: tiles by size.
// Idea: large tiles need the fewest loads per product, but C may have too few of them for all
// multiprocessors, or the last ones leave most idle. The stage estimates the time of three shapes,
// and takes the fastest.
// Compared with limit/02_operands_ahead: the same kernel, in three shapes.
// Limit now: the multiplications. Where k is large and C small, few tiles remain.
// Not of the thesis.
#include <cuda_runtime.h>

#include "common/cuda/cuda_check.hpp"
#include "limit/01_warp_tiles/launch.cuh"
#include "limit/02_operands_ahead/multiply.cuh"

using matmul::Input, matmul::Output, matmul::PhaseTimer;

using Large = matmul::Shape<128, 256, 16, 8, 16, 8, 3, 1>;
using Medium = matmul::Shape<64, 64, 16, 8, 8, 8, 4, 4>;
using Small = matmul::Shape<32, 64, 16, 4, 8, 8, 4, 4>;

// The time of all tiles, in cells of C that one multiprocessor computes at the rate of Large. Each
// has the same number of blocks, or waits for the others. A block of two warps leaves half of the
// multiprocessor idle, so such blocks come in pairs. `rate` is that of the shape, as measured.
template <class S>
double time_of(const Input& input, int multiprocessors, double rate) {
    const int together = S::kBlockSize < 128 ? 2 : 1;
    const int rounds = (matmul::tiles_of<S>(input.m, input.n) + multiprocessors * together - 1) /
                       (multiprocessors * together);
    return rounds * together * S::kTileRows * S::kTileColumns / rate;
}

void multiply(const Input& input, Output& output, PhaseTimer& timer) {
    int device = 0, multiprocessors = 0;
    course::cuda_check(cudaGetDevice(&device));
    course::cuda_check(
        cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    const double large = time_of<Large>(input, multiprocessors, 1.0);
    const double medium = time_of<Medium>(input, multiprocessors, 0.93);
    const double small = time_of<Small>(input, multiprocessors, 0.75);
    if (large <= medium && large <= small) {
        matmul::multiply_tiles<Large>(input, output, timer, matmul::multiply_kernel<Large>);
    } else if (medium <= small) {
        matmul::multiply_tiles<Medium>(input, output, timer, matmul::multiply_kernel<Medium>);
    } else {
        matmul::multiply_tiles<Small>(input, output, timer, matmul::multiply_kernel<Small>);
    }
}

int main(int argc, char** argv) { return matmul::run_stage(argc, argv, STAGE_NAME, multiply); }
