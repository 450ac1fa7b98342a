// SPDX-License-Identifier: MIT
// A kernel gets the host's array instead of the device's array.
#include <cstdio>
#include <cstdlib>

__global__ void add_kernel(const float* in, float* out) {
    out[threadIdx.x] = in[threadIdx.x] + 1;  // here: host pointer
}

int main() {
    const int n = 128;
    float *d_in, *d_out, result = 0;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemset(d_in, 0, n * sizeof(float));
    float* h_in = (float*)malloc(n * sizeof(float));
    for (int i = 0; i < n; ++i) h_in[i] = 1;
    add_kernel<<<1, n>>>(h_in, d_out);
    cudaDeviceSynchronize();
    free(h_in);
    cudaMemcpy(&result, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f, %s\n", result, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
