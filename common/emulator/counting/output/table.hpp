// SPDX-License-Identifier: MIT
// The counters as a table for people.
#pragma once

#include <cstdio>
#include <vector>

#include "common/emulator/counting/output/report.hpp"

namespace emulator::counting {

void print_table(std::FILE* file, const std::vector<KernelReport>& reports);

}  // namespace emulator::counting
