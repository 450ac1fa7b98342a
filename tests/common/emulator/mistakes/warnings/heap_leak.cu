// SPDX-License-Identifier: MIT
// Each thread allocates a buffer and frees it, except for those that return early.
#include <cstdio>

__global__ void early_return_kernel(int* out, int n) {
    int* buffer = new int[4];  // here: warning: memory leak
    for (int i = 0; i < 4; ++i) buffer[i] = i;
    if (threadIdx.x >= n) return;
    out[threadIdx.x] = buffer[3];
    delete[] buffer;
}

int main() {
    const int n = 100;
    int *d_out, result = 0;
    cudaMalloc(&d_out, n * sizeof(int));
    early_return_kernel<<<1, 128>>>(d_out, n);
    cudaMemcpy(&result, d_out, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d, %s\n", result, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_out);
    return 0;
}
