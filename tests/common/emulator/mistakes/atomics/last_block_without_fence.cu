// SPDX-License-Identifier: MIT
// The last block adds up the results of the others. There is no __threadfence().
#include <cstdio>

__device__ unsigned int finished = 0;

__global__ void sum_kernel(const float* in, float* partial, float* total) {
    if (threadIdx.x != 0) return;
    float sum = 0;
    for (int i = 0; i < 32; ++i) sum += in[blockIdx.x * 32 + i];
    partial[blockIdx.x] = sum;
    if (atomicAdd(&finished, 1u) == gridDim.x - 1) {
        *total = 0;
        for (int i = 0; i < gridDim.x; ++i) *total += partial[i];  // here: race between blocks
    }
}

int main() {
    const int n = 1024;
    float *d_in, *d_out, result = 0;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemset(d_in, 0, n * sizeof(float));
    sum_kernel<<<n / 32, 32>>>(d_in, d_out + 1, d_out);
    cudaMemcpy(&result, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f, %s\n", result, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
