// SPDX-License-Identifier: MIT
// Runs grids: their blocks on worker threads, and after them the grids that they launched.
#pragma once

#include <memory>
#include <vector>

#include "common/emulator/engine/grid.hpp"

namespace emulator {

// Runs a grid to its end, with all that it launches.
void run_grid_tree(std::unique_ptr<Grid> grid);

// Runs the grids one after the other on another OS thread, while the calling block waits: its
// shared memory is in use on this thread. False when the system starts no more threads.
bool run_beside(std::vector<std::unique_ptr<Grid>>& grids);

// How many blocks wait for the calling OS thread in run_beside(), one within the other.
int depth_of_waiting_blocks();

}  // namespace emulator
