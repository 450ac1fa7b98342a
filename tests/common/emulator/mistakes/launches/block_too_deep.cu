// SPDX-License-Identifier: MIT
// More than 64 threads in z: the product is allowed, the shape is not.
#include <cstdio>

__global__ void fill_kernel(int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i;
}

int main() {
    const int n = 1000;
    int *d_out, last = 0;
    cudaMalloc(&d_out, n * sizeof(int));
    cudaMemset(d_out, 0, n * sizeof(int));
    fill_kernel<<<1, dim3(1, 1, 128)>>>(d_out, n);  // here: launch refused
    cudaMemcpy(&last, d_out + n - 1, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", last);
    cudaFree(d_out);
    return 0;
}
