// SPDX-License-Identifier: MIT
#error "cuRAND's host API is not available on the CPU engine: use the device API of curand_kernel.h"
