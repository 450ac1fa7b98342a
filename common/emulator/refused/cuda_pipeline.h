// SPDX-License-Identifier: MIT
#error \
    "the pipeline primitives are not available on the CPU engine: use cooperative_groups::memcpy_async"
