// SPDX-License-Identifier: MIT
// What the operating system tells about host memory and caches.
#pragma once

#include <cstdint>

namespace course {

// Bytes that can be allocated without swapping, within the control group's limit; the largest
// 64-bit integer where the system does not tell.
std::int64_t available_host_bytes();

// All caches of level 2 and above of all processors together, in bytes: what a program may find
// cached at most. 0 where the system does not tell.
std::int64_t host_cache_bytes();

}  // namespace course
