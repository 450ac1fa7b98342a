// SPDX-License-Identifier: MIT
// The counters as JSON, or as a table to be read.
#pragma once

namespace emulator::counting {

// As options() says.
void write_counters();

}  // namespace emulator::counting
