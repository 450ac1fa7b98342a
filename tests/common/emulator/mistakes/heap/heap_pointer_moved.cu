// SPDX-License-Identifier: MIT
// The pointer that is freed is not the one that malloc() returned: the loop has moved it.
#include <cstdio>
#include <cstdlib>

__global__ void moved_kernel(int* sum, int count) {
    int* next = (int*)malloc(count * sizeof(int));
    for (int i = 0; i < count; ++i) *next++ = i;
    *sum = next[-1];
    free(next - 1);  // here: wrong free
}

int main() {
    int *d_sum, sum = 0;
    cudaMalloc(&d_sum, sizeof(int));
    moved_kernel<<<1, 1>>>(d_sum, 16);
    cudaMemcpy(&sum, d_sum, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d, %s\n", sum, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_sum);
    return 0;
}
