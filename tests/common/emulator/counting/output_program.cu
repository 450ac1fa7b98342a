// SPDX-License-Identifier: MIT
// A block reverses its elements in shared memory, and adds each to a sum.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void reverse_kernel(int* values, int* sum) {
    __shared__ int s_values[64];
    s_values[threadIdx.x] = values[threadIdx.x];
    __syncthreads();
    const int value = s_values[63 - threadIdx.x];
    values[threadIdx.x] = value;
    atomicAdd(sum, value);
}

int main() {
    int h_values[64];
    for (int i = 0; i < 64; ++i) h_values[i] = i;
    int* values = nullptr;
    int* sum = nullptr;
    cudaMalloc(&values, sizeof h_values);
    cudaMalloc(&sum, sizeof(int));
    cudaMemcpy(values, h_values, sizeof h_values, cudaMemcpyHostToDevice);
    cudaMemset(sum, 0, sizeof(int));
    reverse_kernel<<<1, 64>>>(values, sum);
    int result = 0;
    cudaMemcpy(&result, sum, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(values);
    cudaFree(sum);
    std::printf("%d\n", result);
}
