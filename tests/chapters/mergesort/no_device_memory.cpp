// SPDX-License-Identifier: MIT
// A serial stage has no device memory.
#include "device_memory.hpp"

namespace mergesort {

void watch_device_memory() {}

std::size_t most_device_memory() { return 0; }

}  // namespace mergesort
