// SPDX-License-Identifier: MIT
// Matmul, stage limit/02: operands ahead.
// Idea: before a thread multiplies the operands of one step, it reads those of the next one, also
// over the border of two chunks. And it walks the products column by column, down and up in turn.
// Compared with limit/01_warp_tiles: two sets of operands, and the order of the products.
// Limit now: the multiplications, in large problems. Small ones have fewer tiles than the GPU has
// multiprocessors.
// Not of the thesis.
#include <cuda_runtime.h>

#include "limit/01_warp_tiles/launch.cuh"
#include "limit/02_operands_ahead/multiply.cuh"

using matmul::Input, matmul::Output, matmul::PhaseTimer;

// As in stage limit/01.
using Large = matmul::Shape<128, 256, 16, 8, 16, 8, 3, 1>;

void multiply(const Input& input, Output& output, PhaseTimer& timer) {
    matmul::multiply_tiles<Large>(input, output, timer, matmul::multiply_kernel<Large>);
}

int main(int argc, char** argv) { return matmul::run_stage(argc, argv, STAGE_NAME, multiply); }
