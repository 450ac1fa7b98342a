// SPDX-License-Identifier: MIT
// What tests of the CPU engine include most, precompiled. A test includes the same headers itself.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>
