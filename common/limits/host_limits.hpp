// SPDX-License-Identifier: MIT
// The host as a device: its name and its limits.
#pragma once

#include <string>

#include "common/limits/device_limits.hpp"

namespace course {

std::string processor_name();  // "CPU" if the system does not tell

// Of all processors together. The first call on a machine measures; later calls read a cache.
DeviceLimits host_limits();

// Measures the same again.
DeviceLimits remeasure_host_limits();

}  // namespace course
