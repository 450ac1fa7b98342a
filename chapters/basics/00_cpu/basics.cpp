// SPDX-License-Identifier: MIT
// Basics, stage 00: one thread on the CPU.
// Idea: one pass over the matrix, in the order in which it is stored.
// Limit now: one core.
// Not of the thesis.
#include "problem/basics.hpp"

#include <algorithm>
#include <cstdint>

using basics::Input, basics::Output, basics::Phase, basics::PhaseTimer;

void add_cells(const Input& input, Output& output, PhaseTimer& timer) {
    const int n = input.n;
    timer.begin(Phase::kKernels);
    std::ranges::fill(output.column_sums, 0);
    const std::int32_t* cell = input.cells.data();
    for (int row = 0; row < n; ++row) {
        std::int32_t sum = 0;
        for (int column = 0; column < n; ++column, ++cell) {
            sum += *cell;
            output.column_sums[column] += *cell;
        }
        output.row_sums[row] = sum;
    }
    timer.end();
    timer.note_grid(1, 1);
    timer.declare_work(basics::work_of_passes(input, 1));
}

int main(int argc, char** argv) { return basics::run_stage(argc, argv, STAGE_NAME, add_cells); }
