// SPDX-License-Identifier: MIT
// A value of 256 has no bin among 256: it is counted in the table that follows.
// says: 0 bytes past the end of bins (1024 bytes)
#include <cuda_runtime.h>

__device__ int before[256];
__device__ int bins[256];
__device__ int behind[256];

__global__ void count_kernel(const int* values) {
    atomicAdd(&bins[values[threadIdx.x]], 1);  // here: out of bounds
    before[threadIdx.x] = behind[threadIdx.x];
}

int main() {
    int values[256];
    for (int i = 0; i < 256; ++i) values[i] = i + 1;
    int* d_values;
    cudaMalloc(&d_values, sizeof values);
    cudaMemcpy(d_values, values, sizeof values, cudaMemcpyHostToDevice);
    count_kernel<<<1, 256>>>(d_values);
    cudaDeviceSynchronize();
    cudaFree(d_values);
    return 0;
}
