// SPDX-License-Identifier: MIT
// What the host code of the chapters includes most often, precompiled for all of them. No file
// includes it, and each file includes what it uses, as if there were no such header.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>
#include <ostream>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/harness/command_line.hpp"
#include "common/harness/phase_timer.hpp"
#include "common/harness/problem.hpp"
#include "common/input/inputs.hpp"
#include "common/input/random.hpp"
#include "common/input/text_reader.hpp"
