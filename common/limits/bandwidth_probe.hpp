// SPDX-License-Identifier: MIT
// The one kernel of common/: reads memory as fast as a device can.
#pragma once

#include <cstdint>

namespace course {

// Reads `bytes` of device memory at `d_memory` `passes` times, bypassing L1, and returns the bytes
// per second. `d_memory` is aligned to 16 bytes, and `bytes` is a multiple of 16. Waits for the
// device. Errors: CudaError.
double measure_read_bandwidth(const void* d_memory, std::int64_t bytes, int passes);

}  // namespace course
