// SPDX-License-Identifier: MIT
// The driver includes this in every file that uses Thrust: its algorithms run on the host, and do
// not wait for what is queued on the device.
#pragma once

#include <emulator/for_libraries/host_library.hpp>

namespace emulator {

inline const bool has_host_library = admit_host_library();

}  // namespace emulator
