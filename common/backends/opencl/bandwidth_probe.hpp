// SPDX-License-Identifier: MIT
// Measures how fast an OpenCL device copies and reads memory, by the device's clock.
#pragma once

#include <cstdint>

#include "common/backends/opencl/device.hpp"
#include "common/limits/limits_cache.hpp"

namespace course::opencl {

// Several times the size of any GPU's last cache.
inline constexpr std::int64_t kProbeBytes = std::int64_t{512} << 20;

// The best of several repeats. Copies and reads of a buffer of `large_bytes`, or of what the device
// has, give the memory's rate. Reads of a small buffer, which stays in the device's last cache,
// give the cache's rate. Both rates are 0 if there is no memory for a megabyte.
MeasuredRates measure_rates(Device& device, std::int64_t large_bytes = kProbeBytes);

}  // namespace course::opencl
