// SPDX-License-Identifier: MIT
// Work of a library (cuRAND, CUB) in a stream: it reads and writes device memory, as a kernel does,
// and the checks see it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace emulator {

// Memory that the work uses; 0 bytes: none.
struct LibraryRange {
    const void* begin = nullptr;
    std::size_t bytes = 0;
};

// Queues the work. `function` is its name for messages. Errors: an invalid stream, the sticky
// error, or a range that is host memory or no memory at all: that is explained, and becomes the
// sticky error cudaErrorIllegalAddress as on a GPU.
cudaError_t queue_library_work(const char* function, cudaStream_t stream, LibraryRange written,
                               LibraryRange read, std::function<void()> work);

// Runs what is queued in the stream, without ordering anything after it.
void run_library_work(cudaStream_t stream);

}  // namespace emulator
