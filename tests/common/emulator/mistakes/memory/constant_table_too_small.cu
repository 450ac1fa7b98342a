// SPDX-License-Identifier: MIT
// An index that is too large for a table in constant memory.
#include <cstdio>

__constant__ float c_weights[5];

__global__ void weigh_kernel(const float* in, float* out, int radius) {
    const int i = threadIdx.x + 3;
    float sum = 0;
    for (int k = -radius; k <= radius; ++k) {
        sum += c_weights[k + radius] * in[i + k];  // here: out of bounds
    }
    out[i] = sum;
}

int main() {
    const int n = 128;
    float *d_in, *d_out, result = 0;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemset(d_in, 0, n * sizeof(float));
    weigh_kernel<<<1, n - 6>>>(d_in, d_out, 3);
    cudaMemcpy(&result, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f, %s\n", result, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
