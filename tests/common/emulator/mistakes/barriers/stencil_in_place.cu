// SPDX-License-Identifier: MIT
// A stencil that overwrites cells which its neighbours in the next block still read.
#include <cstdio>

__global__ void smooth_kernel(float* values, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) {
        values[i] = (values[i - 1] + values[i] + values[i + 1]) / 3;  // here: race
    }
}

int main() {
    const int n = 1000;
    float *d_in, *d_out, result = 0;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemset(d_in, 0, n * sizeof(float));
    cudaMemset(d_out, 0, n * sizeof(float));
    smooth_kernel<<<(n + 127) / 128, 128>>>(d_out, n);
    cudaMemcpy(&result, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f, %s\n", result, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
