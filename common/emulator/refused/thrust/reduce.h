// SPDX-License-Identifier: MIT
#error \
    "Thrust is not available on the CPU engine: keep library calls in stages that are about the library, and run those on a GPU"
