// SPDX-License-Identifier: MIT
// Vector types, for programs that include this part of cuda_runtime.h by itself.
#pragma once

#include <emulator/vector_types.hpp>
