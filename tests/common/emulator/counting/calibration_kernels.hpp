// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>

// Runs one warp that does what the named row of the calibration did, with these elements by lane.
// False: no such row is known.
bool run_calibration(const std::string& operation, const std::array<int, 32>& elements);
