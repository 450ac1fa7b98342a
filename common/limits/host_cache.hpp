// SPDX-License-Identifier: MIT
// What the operating system tells about the caches of the host.
#pragma once

#include <cstdint>

namespace course {

// All caches of level 2 and above of all processors together, in bytes: at most as much of a
// program's data can be cached. 0 where the system does not tell.
std::int64_t host_cache_bytes();

}  // namespace course
