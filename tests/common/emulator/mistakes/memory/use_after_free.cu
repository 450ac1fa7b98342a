// SPDX-License-Identifier: MIT
// A buffer that is freed before the launch of the kernel that uses it.
#include <cstdio>

__global__ void copy_kernel(const float* in, float* out) {
    out[threadIdx.x] = in[threadIdx.x];  // here: use after free
}

int main() {
    const int n = 128;
    float *d_in, *d_out, result = 0;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemset(d_in, 0, n * sizeof(float));
    cudaFree(d_in);
    copy_kernel<<<1, n>>>(d_in, d_out);
    cudaMemcpy(&result, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f, %s\n", result, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_out);
    return 0;
}
