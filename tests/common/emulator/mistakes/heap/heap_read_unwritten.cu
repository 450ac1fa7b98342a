// SPDX-License-Identifier: MIT
// Counters that malloc() is thought to clear.
#include <cstdio>
#include <cstdlib>

__global__ void count_kernel(const int* values, int* most, int count) {
    int* counters = (int*)malloc(10 * sizeof(int));
    for (int i = 0; i < count; ++i)
        counters[values[i] % 10] += 1;  // here: uninitialised global memory
    *most = 0;
    for (int i = 0; i < 10; ++i) *most = max(*most, counters[i]);
    free(counters);
}

int main() {
    const int n = 100;
    int *d_values, *d_most, most = 0;
    cudaMalloc(&d_values, n * sizeof(int));
    cudaMalloc(&d_most, sizeof(int));
    cudaMemset(d_values, 0, n * sizeof(int));
    count_kernel<<<1, 1>>>(d_values, d_most, n);
    cudaMemcpy(&most, d_most, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d, %s\n", most, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_values);
    cudaFree(d_most);
    return 0;
}
