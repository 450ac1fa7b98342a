// SPDX-License-Identifier: MIT
// How fast an OpenCL device moves memory, by its own clock.
#pragma once

#include "common/limits_cache.hpp"
#include "common/opencl/device.hpp"

namespace course::opencl {

// The best of several copies and readings of a large buffer, and of readings of a small one that
// stays in the device's last cache. Zeros where the device is out of memory.
MeasuredRates measure_rates(Device& device);

}  // namespace course::opencl
