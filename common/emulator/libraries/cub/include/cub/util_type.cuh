// SPDX-License-Identifier: MIT
// CUB's small types: NullType, KeyValuePair and DoubleBuffer.
#pragma once

#include <emulator/cub/double_buffer.hpp>
#include <emulator/cub/operators.hpp>
