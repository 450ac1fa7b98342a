// SPDX-License-Identifier: MIT
// What was kept for a view, as JSON.
#pragma once

#include <string>

#include "common/emulator/counting/output/kept_view.hpp"

namespace emulator::counting {

std::string view_json(const View& view);

}  // namespace emulator::counting
