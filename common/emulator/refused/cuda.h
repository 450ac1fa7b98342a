// SPDX-License-Identifier: MIT
#error \
    "the CUDA driver API is not available on the CPU engine: use the runtime API of cuda_runtime.h"
