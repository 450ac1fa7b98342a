// SPDX-License-Identifier: MIT
// The second kernel needs the result of the first, on another stream, without an event.
#include <cstdio>

__global__ void fill_kernel(int* values) { values[threadIdx.x] = threadIdx.x; }

__global__ void sum_kernel(const int* values, int* sum) {
    atomicAdd(sum, values[threadIdx.x]);  // here: race between streams
}

int main() {
    const int n = 64;
    int *d_values, *d_sum, result = 0;
    cudaStream_t first, second;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaMalloc(&d_values, n * sizeof(int));
    cudaMalloc(&d_sum, sizeof(int));
    cudaMemset(d_values, 0, n * sizeof(int));
    cudaMemset(d_sum, 0, sizeof(int));
    fill_kernel<<<1, n, 0, first>>>(d_values);
    sum_kernel<<<1, n, 0, second>>>(d_values, d_sum);
    cudaMemcpy(&result, d_sum, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d, %s\n", result, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_values);
    cudaFree(d_sum);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    return 0;
}
