// SPDX-License-Identifier: MIT
// Writes the counters at the end of the program.
#pragma once

#include <string>

namespace emulator::counting {

// `target`: see Options::counters (settings.hpp). Says on standard error if blocks were left out.
void write_counters(const std::string& target);

}  // namespace emulator::counting
