// SPDX-License-Identifier: MIT
#pragma once

#include <emulator/cub/iterators.hpp>
