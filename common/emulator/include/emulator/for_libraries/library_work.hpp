// SPDX-License-Identifier: MIT
// Work of a library (cuRAND, CUB) in a stream: it reads and writes device memory, as a kernel does,
// and the checks see it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <vector>

namespace emulator {

// Memory that the work uses; 0 bytes: none.
struct LibraryRange {
    const void* begin = nullptr;
    std::size_t bytes = 0;
    // How much is written is known only when the work runs: `bytes` is the most, and may exceed the
    // allocation. The work calls admit_output().
    bool is_upper_bound = false;
};

// Queues the work. `function` is its name for messages; it must be a literal. Errors: an invalid
// stream, the sticky error, or a range that is host memory or no memory at all: that is explained,
// and becomes the sticky error cudaErrorIllegalAddress as on a GPU.
cudaError_t queue_library_work(const char* function, cudaStream_t stream,
                               std::vector<LibraryRange> written, std::vector<LibraryRange> read,
                               std::function<void()> work);

// In the work: whether it may write these bytes, or read them. If not, that is explained and
// becomes the sticky error.
bool admit_output(const char* function, const void* begin, std::size_t bytes);
bool admit_input(const char* function, const void* begin, std::size_t bytes);

// Explains why a library's function refuses a call, and returns cudaErrorInvalidValue.
cudaError_t refuse_library_call(const char* function, const char* reason);

}  // namespace emulator
