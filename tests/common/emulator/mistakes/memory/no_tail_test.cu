// SPDX-License-Identifier: MIT
// Without a tail test, the last block writes past the end of the array.
#include <cstdio>

__global__ void fill_kernel(float* out, float value) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = value;  // here: out of bounds
}

int main() {
    const int n = 1000;
    float *d_in, *d_out, result = 0;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemset(d_in, 0, n * sizeof(float));
    fill_kernel<<<(n + 127) / 128, 128>>>(d_out, 1.0f);
    cudaMemcpy(&result, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f, %s\n", result, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
