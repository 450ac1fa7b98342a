// SPDX-License-Identifier: MIT
// cudaMalloc() gets a number of elements, but needs a number of bytes.
#include <cstdio>

__global__ void index_kernel(int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i;  // here: out of bounds
}

int main() {
    const int n = 1000;
    int* d_out;
    cudaMalloc(&d_out, n);
    index_kernel<<<(n + 255) / 256, 256>>>(d_out, n);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
