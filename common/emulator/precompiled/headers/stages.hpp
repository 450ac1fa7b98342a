// SPDX-License-Identifier: MIT
// What nearly every stage includes, precompiled for the CPU engine. A stage includes the same
// headers itself: nvcc does not know this one.
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/harness/phase_timer.hpp"
#include "common/harness/problem.hpp"
