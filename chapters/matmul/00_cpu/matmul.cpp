// SPDX-License-Identifier: MIT
// Matmul, stage 00: one thread on the CPU.
// Idea: the loop over j is the innermost one, so that neighbouring cells of B and C lie in one
// vector register. The loops over k and j go block by block: a block of B stays in the caches while
// all rows of A pass over it.
// Limit now: one core. Each vector of C is loaded and stored once for each step of the loop over k.
// Not of the thesis.
#include "problem/matmul.hpp"

#include <algorithm>
#include <cstdint>

#include "common/cores/every_cpu.hpp"

using matmul::Input, matmul::Output, matmul::Phase, matmul::PhaseTimer;

// A block of B takes 128 KiB, which fits the second cache, and its part of a row of C the first.
constexpr std::int64_t kDepth = 128;
constexpr std::int64_t kColumns = 256;

// c[j] += a[p] * b[p][j], for all rows p of a block of B.
EVERY_CPU void add_products(const float* a, const float* b, std::int64_t stride, std::int64_t depth,
                            std::int64_t columns, float* __restrict__ c) {
    for (std::int64_t p = 0; p < depth; ++p) {
        const float factor = a[p];
        const float* __restrict__ row = b + p * stride;
        for (std::int64_t j = 0; j < columns; ++j) {
            c[j] += factor * row[j];
        }
    }
}

void multiply(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t m = input.m, n = input.n, k = input.k;
    timer.begin(Phase::kKernels);
    std::ranges::fill(output.c, 0.0f);
    for (std::int64_t p = 0; p < k; p += kDepth) {
        for (std::int64_t j = 0; j < n; j += kColumns) {
            for (std::int64_t i = 0; i < m; ++i) {
                add_products(input.a.data() + i * k + p, input.b.data() + p * n + j, n,
                             std::min(kDepth, k - p), std::min(kColumns, n - j),
                             output.c.data() + i * n + j);
            }
        }
    }
    timer.end();
    timer.note_grid(1, 1);
    timer.declare_work(matmul::work_of(input));
}

int main(int argc, char** argv) { return matmul::run_stage(argc, argv, STAGE_NAME, multiply); }
