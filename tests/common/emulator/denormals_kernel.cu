// SPDX-License-Identifier: MIT
// Compiled twice: as it is, and with EMULATOR_FLUSH_DENORMALS. PRODUCTS names the function.
#include <cuda_runtime.h>

namespace {

__global__ void multiply_kernel(const float* a, const float* b, float* out) {
    const int i = threadIdx.x;
    const float before = a[i] * b[i];
    __syncthreads();  // the threads go on in other fibers' turns
    out[2 * i] = before;
    out[2 * i + 1] = a[i] * b[i];
}

}  // namespace

void PRODUCTS(const float* a, const float* b, float* out, int count) {
    multiply_kernel<<<1, count>>>(a, b, out);
}
