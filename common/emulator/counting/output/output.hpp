// SPDX-License-Identifier: MIT
// Writes the counters at the end of the program.
#pragma once

#include <string>

namespace emulator::counting {

// `target`: see Options::counters (settings.hpp). A file is opened here, so that a name that cannot
// be written is said before the program's work.
void choose_counters(const std::string& target);
// Says on standard error if blocks were left out.
void write_counters();

}  // namespace emulator::counting
