// SPDX-License-Identifier: MIT
// The size of the host's caches.
#pragma once

#include <cstdint>

namespace course {

// Bytes of all caches of level 2 and above, of all processors together: no more of a program's data
// can be cached. 0 if the system does not tell.
std::int64_t host_cache_bytes();

}  // namespace course
