// SPDX-License-Identifier: MIT
// The host reads through a device pointer.
#include <cstdio>

__global__ void fill_kernel(int* out) { out[threadIdx.x] = threadIdx.x; }

int main() {
    int* d_out;
    cudaMalloc(&d_out, 64 * sizeof(int));
    fill_kernel<<<1, 64>>>(d_out);
    cudaDeviceSynchronize();
    printf("%d\n", d_out[10]);  // here: device pointer on the host
    cudaFree(d_out);
    return 0;
}
