// SPDX-License-Identifier: MIT
// A program that calls exit() with success, although its kernel has a race.
#include <cstdio>
#include <cstdlib>

__global__ void last_kernel(const float* in, float* out) {
    out[0] = in[threadIdx.x];  // here: race
}

int main() {
    const int n = 64;
    float *d_in, *d_out, values[n], result = 0;
    for (int i = 0; i < n; ++i) values[i] = i;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_in, values, n * sizeof(float), cudaMemcpyHostToDevice);
    last_kernel<<<1, n>>>(d_in, d_out);
    cudaMemcpy(&result, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f, %s\n", result, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_in);
    cudaFree(d_out);
    exit(EXIT_SUCCESS);
}
