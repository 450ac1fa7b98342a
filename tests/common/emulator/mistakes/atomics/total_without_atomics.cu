// SPDX-License-Identifier: MIT
// Blocks that add to one total with a plain addition.
#include <cstdio>

__global__ void total_kernel(const float* in, float* total) {
    float sum = 0;
    if (threadIdx.x == 0) {
        for (int i = 0; i < 32; ++i) sum += in[blockIdx.x * 32 + i];
        *total += sum;  // here: race between blocks
    }
}

int main() {
    const int n = 1024;
    float *d_in, *d_out, result = 0;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemset(d_in, 0, n * sizeof(float));
    cudaMemset(d_out, 0, sizeof(float));
    total_kernel<<<n / 32, 32>>>(d_in, d_out);
    cudaMemcpy(&result, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f, %s\n", result, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
