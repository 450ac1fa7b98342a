// SPDX-License-Identifier: MIT
#error "8-bit floating point is not available on the CPU engine: compute in float"
