// SPDX-License-Identifier: MIT
// A thread copies a row with memcpy(): the length is for elements of twice the size.
#include <cstdio>
#include <cstring>

__global__ void copy_rows_kernel(const float* in, float* out, int columns) {
    const int first = threadIdx.x * columns;
    memcpy(out + first, in + first, columns * sizeof(double));  // here: out of bounds
}

int main() {
    const int n = 256;
    float *d_in, *d_out, result = 0;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemset(d_in, 0, n * sizeof(float));
    copy_rows_kernel<<<1, 8>>>(d_in, d_out, 32);
    cudaMemcpy(&result, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f, %s\n", result, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
