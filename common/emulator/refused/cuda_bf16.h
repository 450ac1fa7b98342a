// SPDX-License-Identifier: MIT
#error "bfloat16 arithmetic is not available on the CPU engine: compute in float"
