// SPDX-License-Identifier: MIT
// Compiled twice: without and with EMULATOR_FLUSH_DENORMALS. PRODUCTS names the function.
#include <cuda_runtime.h>

namespace {

__global__ void multiply_kernel(const float* a, const float* b, float* out) {
    const int i = threadIdx.x;
    const float before = a[i] * b[i];
    __syncthreads();  // other fibers run in between
    out[2 * i] = before;
    out[2 * i + 1] = a[i] * b[i];
}

}  // namespace

void PRODUCTS(const float* a, const float* b, float* out, int count) {
    multiply_kernel<<<1, count>>>(a, b, out);
}
