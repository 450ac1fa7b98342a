// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>

using Elements = std::array<int, 32>;

// Runs one warp as in the named row of the calibration. Each lane gets its element; "unit" is the
// pattern of consecutive elements. False: the row is unknown.
bool run_async_calibration(const std::string& operation, const std::string& pattern,
                           const Elements& elements);
