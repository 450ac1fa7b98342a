// SPDX-License-Identifier: MIT
// Which launches and blocks are recorded. A program that records more accesses than its budget goes
// on executing all blocks, but only some of them are counted and checked.
//
// Of each launch the first blocks are recorded, until they have used a sixteenth of the program's
// budget. Then every k-th block is, so that these use about half as much again, and the last block,
// because a mistake in the last block is frequent. When a kernel has used an eighth of the budget,
// or the program all of it, only the kernel's next launches number 1, 2, 4, 8, … are recorded, each
// until it has used a 128th of the budget.
#pragma once

#include <cstdint>

#include "common/emulator/engine/grid.hpp"

namespace emulator::counting {

// Accesses and basic blocks of single threads: some ten seconds of recording, replay and checks.
constexpr std::uint64_t kDefaultBudget = std::uint64_t{1} << 28;

// 0: no limit. Must be called before the first kernel.
void set_budget(std::uint64_t events);
std::uint64_t budget();

// A grid starts: returns whether blocks of it may be recorded. The grids that a grid without
// recorded blocks launches have none either.
bool begin_sampled_grid(const Grid& grid);
struct SampledBlocks {
    std::uint64_t recorded = 0;
    bool some_left_out = false;
};
SampledBlocks end_sampled_grid(const Grid& grid);
// How many of the grid's next blocks are not to be recorded. They count as started.
std::int64_t leave_out_blocks(const Grid& grid);
// Whether a block of a cooperative grid is to be recorded.
bool records_cooperative_block(const Grid& grid, std::int64_t block);
// A recorded block has ended, with so many events.
void end_sampled_block(const Grid& grid, std::uint64_t events);

}  // namespace emulator::counting
