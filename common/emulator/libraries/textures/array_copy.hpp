// SPDX-License-Identifier: MIT
// Copies in three dimensions, of pitched memory and of arrays.
#pragma once

#include <cuda_runtime_api.h>

namespace emulator {

// `function` is the caller's name, for messages.
cudaError_t copy_3d(const char* function, const cudaMemcpy3DParms& parameters, cudaStream_t stream,
                    bool asynchronous);

}  // namespace emulator
