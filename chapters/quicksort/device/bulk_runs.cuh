// SPDX-License-Identifier: MIT
// The bulk copies of stage 23, for the stages that build on it.
// Unchanged from stage 23_bulk_copies.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cuda/ptx>

#include "problem/quicksort.hpp"

namespace quicksort {

// Stores a run. It begins as many keys behind a multiple of 16 bytes as its target. Devices below
// compute capability 9.0 have no bulk copies.
__device__ inline void store_run(const Key* s_run, Key* to, unsigned count) {
    unsigned head = 0, body = 0;  // keys before the first whole piece, and in pieces
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    head =
        min(static_cast<unsigned>(-reinterpret_cast<std::uintptr_t>(to) / sizeof(Key) % 4), count);
    body = (count - head) / 4 * 4;
    if (body > 0) {
        cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, to + head,
                                 s_run + head, body * static_cast<unsigned>(sizeof(Key)));
    }
#endif
    for (unsigned i = 0; i < head; ++i) to[i] = s_run[i];
    for (unsigned i = head + body; i < count; ++i) to[i] = s_run[i];
}

}  // namespace quicksort
