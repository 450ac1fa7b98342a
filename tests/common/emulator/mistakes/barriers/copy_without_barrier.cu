// SPDX-License-Identifier: MIT
// One thread copies a tile with memcpy(). The others read it without waiting.
#include <cstdio>
#include <cstring>

__global__ void reverse_kernel(const float* in, float* out) {
    __shared__ float s_tile[64];
    if (threadIdx.x == 0) memcpy(s_tile, in, sizeof(s_tile));
    out[threadIdx.x] = s_tile[63 - threadIdx.x];  // here: race
}

int main() {
    const int n = 256;
    float *d_in, *d_out, result = 0;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemset(d_in, 0, n * sizeof(float));
    reverse_kernel<<<1, 64>>>(d_in, d_out);
    cudaMemcpy(&result, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f, %s\n", result, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
