// SPDX-License-Identifier: MIT
// A table in device memory that was never copied from the host.
#include <cstdio>

__global__ void scale_kernel(float* values, const float* factors) {
    values[threadIdx.x] *= factors[threadIdx.x];  // here: uninitialised global memory
}

int main() {
    const int n = 96;
    float h_factors[n], *d_values, *d_factors, result = 0;
    for (int i = 0; i < n; ++i) h_factors[i] = 2.0f;
    cudaMalloc(&d_values, n * sizeof(float));
    cudaMalloc(&d_factors, n * sizeof(float));
    cudaMemset(d_values, 0, n * sizeof(float));
    scale_kernel<<<1, n>>>(d_values, d_factors);
    cudaMemcpy(&result, d_values, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f of %f, %s\n", result, h_factors[0], cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_values);
    cudaFree(d_factors);
    return 0;
}
