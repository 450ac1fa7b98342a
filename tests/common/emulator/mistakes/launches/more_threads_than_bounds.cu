// SPDX-License-Identifier: MIT
// The kernel was compiled for blocks of 128 threads, and is launched with 256.
// says: a block of 256 x 1 x 1 threads; the kernel's __launch_bounds__ allows 128
#include <cuda_runtime.h>

constexpr int kThreads = 128;

__global__ void __launch_bounds__(kThreads, 2) fill_kernel(int* values, int value) {
    values[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

int main() {
    int* d_values;
    cudaMalloc(&d_values, 512 * sizeof(int));
    fill_kernel<<<2, 256>>>(d_values, 7);  // here: launch refused
    cudaDeviceSynchronize();
    cudaFree(d_values);
    return 0;
}
