// SPDX-License-Identifier: MIT
#error \
    "the tensor core API is not available on the CPU engine: keep it under #ifndef CUDA_EMULATOR beside a plain version"
