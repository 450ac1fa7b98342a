// SPDX-License-Identifier: MIT
// All threads that find a zero set the same flag to the same value.
#include <cstdio>

__global__ void find_zero_kernel(const int* in, int* found) {
    if (in[threadIdx.x] == 0) *found = 1;  // here: warning: writes of the same value
}

int main() {
    const int n = 128;
    int *d_in, *d_found, found = 0;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_found, sizeof(int));
    cudaMemset(d_in, 0, n * sizeof(int));
    cudaMemset(d_found, 0, sizeof(int));
    find_zero_kernel<<<1, n>>>(d_in, d_found);
    cudaMemcpy(&found, d_found, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d, %s\n", found, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_in);
    cudaFree(d_found);
    return 0;
}
