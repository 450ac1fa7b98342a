// SPDX-License-Identifier: MIT
// Basics, stage peers/cpu_cores: all cores of the CPU, with SIMD.
// Idea: each core has a range of rows, and column sums of its own, which are added up in the end.
// It reads eight rows side by side, so that it loads and stores a column sum once for eight cells.
// Compared with 00_cpu: threads, vectors, eight rows at a time.
// Limit now: the bandwidth of the host's memory.
// Not of the thesis.
#include "problem/basics.hpp"

#include <omp.h>

#include <algorithm>
#include <cstdint>

#include "common/cores/aligned_list.hpp"
#include "common/cores/every_cpu.hpp"

using basics::Input, basics::Output, basics::Phase, basics::PhaseTimer;

constexpr int kRows = 8;

// Adds kRows rows of n cells.
EVERY_CPU void add_rows(const std::int32_t* __restrict__ cells, std::int64_t n,
                        std::int32_t* __restrict__ row_sums,
                        std::int32_t* __restrict__ column_sums) {
    std::int32_t sums[kRows] = {};
#pragma omp simd reduction(+ : sums)
    for (std::int64_t column = 0; column < n; ++column) {
        std::int32_t of_column = column_sums[column];
#pragma GCC unroll 8
        for (int row = 0; row < kRows; ++row) {
            sums[row] += cells[row * n + column];
            of_column += cells[row * n + column];
        }
        column_sums[column] = of_column;
    }
    std::copy_n(sums, kRows, row_sums);
}

EVERY_CPU void add_row(const std::int32_t* __restrict__ cells, std::int64_t n,
                       std::int32_t* __restrict__ row_sum, std::int32_t* __restrict__ column_sums) {
    std::int32_t sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t column = 0; column < n; ++column) {
        sum += cells[column];
        column_sums[column] += cells[column];
    }
    *row_sum = sum;
}

void add_cells(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t n = input.n, whole = n / kRows * kRows;
    const std::int32_t* cells = input.cells.data();
    std::int32_t* row_sums = output.row_sums.data();
    std::int32_t* column_sums = output.column_sums.data();
    timer.begin(Phase::kKernels);
    std::ranges::fill(output.column_sums, 0);
#pragma omp parallel
    {
        course::AlignedList<std::int32_t> own(n);  // far from those of other cores
        std::fill_n(own.data(), n, 0);
#pragma omp for schedule(static) nowait
        for (std::int64_t row = 0; row < whole; row += kRows) {
            add_rows(cells + row * n, n, row_sums + row, own.data());
        }
#pragma omp single nowait
        for (std::int64_t row = whole; row < n; ++row) {
            add_row(cells + row * n, n, row_sums + row, own.data());
        }
#pragma omp critical
        for (std::int64_t column = 0; column < n; ++column) {
            column_sums[column] += own.data()[column];
        }
    }
    timer.end();
    timer.note_grid(1, omp_get_max_threads());
    timer.declare_work(basics::work_of_passes(input, 1));
}

int main(int argc, char** argv) { return basics::run_stage(argc, argv, STAGE_NAME, add_cells); }
