// SPDX-License-Identifier: MIT
// The host as a device: its name and what it can reach at most.
#pragma once

#include <string>

#include "common/limits/device_limits.hpp"

namespace course {

std::string processor_name();  // "CPU" where the system does not tell

// Of all processors together; measured at the first call on a machine and cached from then on.
DeviceLimits host_limits();

// The same, measured anew.
DeviceLimits remeasure_host_limits();

}  // namespace course
