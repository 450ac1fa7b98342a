// SPDX-License-Identifier: MIT
// A kernel launches another kernel with one block too many for the data.
#include <cstdio>

__global__ void scale_kernel(const float* in, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2.0f * in[i];  // here: out of bounds
}

__global__ void start_kernel(const float* in, float* out, int n) {
    scale_kernel<<<n / 64 + 1, 64>>>(in, out);
}

int main() {
    const int n = 256;
    float *d_in, *d_out, result = 0;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemset(d_in, 0, n * sizeof(float));
    start_kernel<<<1, 1>>>(d_in, d_out, n);
    cudaMemcpy(&result, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f, %s\n", result, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
