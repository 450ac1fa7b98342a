// SPDX-License-Identifier: MIT
// The one kernel of common/: reads memory as fast as a device can.
#pragma once

#include <cstdint>

namespace course {

// Bytes a second of `passes` readings of the `bytes` of device memory at `d_memory` (16-byte
// aligned, a multiple of 16), not counting L1. Waits for the device. Errors: CudaError.
double measure_read_bandwidth(const void* d_memory, std::int64_t bytes, int passes);

}  // namespace course
