// SPDX-License-Identifier: MIT
// A kernel frees memory that the host has allocated with cudaMalloc().
#include <cstdio>
#include <cstdlib>

__global__ void last_use_kernel(int* values, int* sum) {
    *sum = values[0] + values[1];
    free(values);  // here: wrong free
}

int main() {
    int *d_values, *d_sum, sum = 0;
    cudaMalloc(&d_values, 2 * sizeof(int));
    cudaMalloc(&d_sum, sizeof(int));
    cudaMemset(d_values, 0, 2 * sizeof(int));
    last_use_kernel<<<1, 1>>>(d_values, d_sum);
    cudaMemcpy(&sum, d_sum, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d, %s\n", sum, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_sum);
    return 0;
}
