// SPDX-License-Identifier: MIT
// Inline PTX stores one element too far.
#include <cuda_runtime.h>

__global__ void fill_kernel(float* out, int n) {
    float* const target = out + threadIdx.x;
    if (static_cast<int>(threadIdx.x) > n) return;
    asm("st.global.cs.f32 [%0], %1;" ::"l"(target), "f"(1.0f));  // here: out of bounds
}

int main() {
    const int n = 100;
    float* d_out = nullptr;
    cudaMalloc(&d_out, n * sizeof(float));
    fill_kernel<<<1, 128>>>(d_out, n);
    cudaDeviceSynchronize();
    cudaFree(d_out);
}
