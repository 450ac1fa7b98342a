// SPDX-License-Identifier: MIT
// How fast an OpenCL device moves memory, by its own clock.
#pragma once

#include <cstdint>

#include "common/backends/opencl/device.hpp"
#include "common/limits/limits_cache.hpp"

namespace course::opencl {

// Several times the last cache of any GPU.
inline constexpr std::int64_t kProbeBytes = std::int64_t{512} << 20;

// The best of several copies and readings of a buffer of `large_bytes`, or what the device has for
// it, and of readings of a small one that stays in the device's last cache. Zeros where there is
// no memory for a megabyte.
MeasuredRates measure_rates(Device& device, std::int64_t large_bytes = kProbeBytes);

}  // namespace course::opencl
