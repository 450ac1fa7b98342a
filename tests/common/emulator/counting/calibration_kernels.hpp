// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>

// Runs one warp as in the named row of the calibration. Each lane gets its element.
// False: the row is unknown.
bool run_calibration(const std::string& operation, const std::array<int, 32>& elements);
