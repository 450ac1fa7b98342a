// SPDX-License-Identifier: MIT
// How much device memory a stage had at most.
#pragma once

#include <cstddef>

namespace mergesort {

// Forgets the most, and begins again with what is allocated now.
void watch_device_memory();

std::size_t most_device_memory();  // bytes, since watch_device_memory()

}  // namespace mergesort
