// SPDX-License-Identifier: MIT
#error \
    "the pipeline primitives is not available on the CPU engine: use cooperative_groups::memcpy_async"
