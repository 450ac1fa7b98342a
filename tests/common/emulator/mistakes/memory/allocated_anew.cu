// SPDX-License-Identifier: MIT
// A buffer that grows: the new memory does not contain the data of the old one.
#include <cstdio>

__global__ void fill_kernel(int* values) { values[threadIdx.x] = threadIdx.x; }

__global__ void add_kernel(int* values) {
    values[threadIdx.x] += 1;  // here: uninitialised global memory
}

int main() {
    int *d_values, result = 0;
    cudaMalloc(&d_values, 64 * sizeof(int));
    fill_kernel<<<1, 64>>>(d_values);
    cudaFree(d_values);
    cudaMalloc(&d_values, 128 * sizeof(int));
    add_kernel<<<1, 64>>>(d_values);
    cudaMemcpy(&result, d_values, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d, %s\n", result, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_values);
    return 0;
}
