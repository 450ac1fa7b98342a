// SPDX-License-Identifier: MIT
#error \
    "run-time compilation is not available on the CPU engine: compile the kernel with the program"
