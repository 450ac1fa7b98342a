// SPDX-License-Identifier: MIT
// Counters, transfers and findings as JSON.
#pragma once

#include <string>
#include <vector>

#include "common/emulator/counting/output/report.hpp"

namespace emulator::counting {

std::string to_json(const std::vector<KernelReport>& reports);

}  // namespace emulator::counting
