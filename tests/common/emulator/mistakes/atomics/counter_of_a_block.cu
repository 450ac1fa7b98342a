// SPDX-License-Identifier: MIT
// All threads of one block count with ++.
// says: each thread replaces what the others wrote; use atomicAdd()
// says: a barrier cannot help
// findings: 1
#include <cstdio>

__global__ void count_kernel(const int* values, int* count) {
    if (values[threadIdx.x] % 3 == 0) {
        ++*count;  // here: race
    }
}

int main() {
    const int n = 128;
    int h_values[n], *d_values, *d_count, count = 0;
    for (int i = 0; i < n; ++i) h_values[i] = i;
    cudaMalloc(&d_values, sizeof h_values);
    cudaMalloc(&d_count, sizeof(int));
    cudaMemcpy(d_values, h_values, sizeof h_values, cudaMemcpyHostToDevice);
    cudaMemset(d_count, 0, sizeof(int));
    count_kernel<<<1, n>>>(d_values, d_count);
    cudaMemcpy(&count, d_count, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", count);
    cudaFree(d_values);
    cudaFree(d_count);
    return 0;
}
