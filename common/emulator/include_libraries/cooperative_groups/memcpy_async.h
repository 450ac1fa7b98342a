// SPDX-License-Identifier: MIT
// Asynchronous copies into shared memory: here a plain copy, made by the whole group.
#pragma once

#include <cooperative_groups.h>

#include <cstddef>
#include <cstring>

namespace cooperative_groups {

// Copies `bytes` bytes, one element per thread; every thread of the group calls it. The data may be
// read after wait(group).
template <class Group, class T>
void memcpy_async(const Group& group, T* destination, const T* source, std::size_t bytes) {
    if constexpr (std::is_void_v<T>) {
        memcpy_async(group, static_cast<char*>(destination), static_cast<const char*>(source),
                     bytes);
    } else {
        const std::size_t elements = bytes / sizeof(T);
        for (std::size_t i = group.thread_rank(); i < elements; i += group.num_threads()) {
            destination[i] = source[i];
        }
        if (group.thread_rank() == 0 && bytes % sizeof(T) != 0) {
            std::memcpy(static_cast<void*>(destination + elements), source + elements,
                        bytes % sizeof(T));
        }
    }
}

// The same by element counts: as many elements as both sides hold.
template <class Group, class T>
void memcpy_async(const Group& group, T* destination, std::size_t destination_count,
                  const T* source, std::size_t source_count) {
    memcpy_async(group, destination, source,
                 (destination_count < source_count ? destination_count : source_count) * sizeof(T));
}

template <class Group>
void wait(const Group& group) {
    group.sync();
}
// All but the last `Stages` copies: they are all done, so this is the barrier alone.
template <unsigned int Stages, class Group>
void wait_prior(const Group& group) {
    group.sync();
}

}  // namespace cooperative_groups
