// SPDX-License-Identifier: MIT
// The host frees, with cudaFree(), memory that a kernel has allocated with malloc().
#include <cstdio>
#include <cstdlib>

__global__ void allocate_kernel(int** buffer) { *buffer = (int*)malloc(64 * sizeof(int)); }

int main() {
    int **d_buffer, *buffer = nullptr;
    cudaMalloc(&d_buffer, sizeof(int*));
    allocate_kernel<<<1, 1>>>(d_buffer);
    cudaMemcpy(&buffer, d_buffer, sizeof(int*), cudaMemcpyDeviceToHost);
    cudaFree(buffer);  // here: wrong free
    cudaFree(d_buffer);
    return 0;
}
