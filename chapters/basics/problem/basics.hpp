// SPDX-License-Identifier: MIT
// Basics: the sum of each row and of each column of a square matrix of integers.
//
//   row_sums[i]    = cells[i][0] + cells[i][1] + ... + cells[i][n - 1]
//   column_sums[j] = cells[0][j] + cells[1][j] + ... + cells[n - 1][j]
//
// The matrix is stored by rows: cell (i, j) is element i * n + j. All sums fit 32 bits, so they are
// exact, and the order of the additions does not matter.
//
// The problem has almost no arithmetic: one addition per cell and sum. So each stage shows how a
// kernel should ask for its data, and nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "common/harness/phase_timer.hpp"

namespace basics {

using course::Phase;
using course::PhaseTimer;

// The largest side of a matrix, and the largest absolute value of a cell: 65 536 * 32 767 is below
// 2^31, so no sum overflows.
inline constexpr std::int64_t kMaxSide = 65'536;
inline constexpr std::int32_t kLargest = 32'767;

// Where the matrix lies in the host's memory. A stage may choose another kind than malloc() gives.
// Both functions throw on failure.
struct HostMemory {
    void* (*allocate)(std::size_t bytes);
    void (*release)(void* memory);
};
extern const HostMemory kPageableMemory;

// What a stage gets. The matrix is allocated and filled before the timed part of a run.
struct Input {
    int n = 0;  // rows, and columns; at least 1
    std::span<std::int32_t> cells;
    std::shared_ptr<void> memory;  // owns the cells

    std::int64_t count() const { return std::int64_t{n} * n; }
};

// What a stage computes. The lists have the right size on entry.
struct Output {
    std::vector<std::int32_t> row_sums, column_sums;
};

// The function of a stage: it computes all sums and marks its phases.
using AddCells = void (*)(const Input&, Output&, PhaseTimer&);

// The least work of a stage that reads the matrix `passes` times: all cells, and one addition per
// cell for each of the two sums. Each sum is written once.
inline course::Work work_of_passes(const Input& input, int passes) {
    const double matrix = 4.0 * static_cast<double>(input.count());
    return {.bytes = passes * matrix + 8.0 * input.n,
            .operations = 2.0 * static_cast<double>(input.count()),
            .working_set_bytes = matrix};
}

// A matrix of side n. Cells of "random" lie between -kLargest and kLargest; all cells of "largest"
// are kLargest. Errors: UsageError for another name, and for a
// side above kMaxSide.
Input make_input(std::string_view name, std::int64_t n, std::uint64_t seed,
                 const HostMemory& memory = kPageableMemory);

// Counts the wrong sums. It shares no code with the stages.
std::int64_t count_wrong(const Input& input, const Output& output);

// "row 8 has 3, not 12": the first wrong sum, rows before columns; empty if all are right.
std::string first_wrong(const Input& input, const Output& output);

// main() of every stage. Returns the exit status (error.hpp).
int run_stage(int argc, char** argv, std::string_view stage_name, AddCells add_cells,
              const HostMemory& memory = kPageableMemory);

}  // namespace basics
