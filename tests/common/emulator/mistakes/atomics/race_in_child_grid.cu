// SPDX-License-Identifier: MIT
// A kernel launches another kernel. All blocks of that one add to one word.
#include <cstdio>

__global__ void sum_kernel(const float* in, float* out) {
    *out += in[blockIdx.x];  // here: race between blocks
}

__global__ void start_kernel(const float* in, float* out, int n) {
    if (threadIdx.x == 0) sum_kernel<<<n, 1>>>(in, out);
}

int main() {
    const int n = 256;
    float *d_in, *d_out, result = 0;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemset(d_in, 0, n * sizeof(float));
    cudaMemset(d_out, 0, sizeof(float));
    start_kernel<<<1, 32>>>(d_in, d_out, n);
    cudaMemcpy(&result, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f, %s\n", result, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
