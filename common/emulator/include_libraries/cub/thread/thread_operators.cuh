// SPDX-License-Identifier: MIT
#pragma once

#include <emulator/cub/operators.hpp>
