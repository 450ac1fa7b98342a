// SPDX-License-Identifier: MIT
// The pipeline primitives of the CUDA C++ Programming Guide, "Asynchronous Data Copies": copies
// from global to shared memory by groups of one thread.
#pragma once

#include <cuda_awbarrier_primitives.h>

#include <cstddef>
#include <emulator/async/async_copies.hpp>

// Copies `size_and_align` (4, 8 or 16) bytes; both addresses are multiples of it. The last `zfill`
// bytes are not read but become zero.
__forceinline__ void __pipeline_memcpy_async(void* destination, const void* source,
                                             std::size_t size_and_align, std::size_t zfill = 0) {
    emulator::copy_async(destination, source, static_cast<unsigned>(size_and_align),
                         static_cast<unsigned>(zfill));
}

__forceinline__ void __pipeline_commit() { emulator::commit_copies(); }

// Waits for all groups except the `prior` latest ones. As in CUDA, more than 8 count as 8.
__forceinline__ void __pipeline_wait_prior(std::size_t prior) {
    emulator::wait_for_copies(prior < 8 ? static_cast<unsigned>(prior) : 8u);
}

__forceinline__ void __pipeline_arrive_on(__mbarrier_t* barrier) {
    emulator::arrive_after_copies(barrier, false);
}
