// SPDX-License-Identifier: MIT
// Each thread writes one element more than it has allocated with new.
#include <cstdio>

__global__ void squares_kernel(int* sums, int count) {
    int* squares = new int[count];
    for (int i = 0; i <= count; ++i) squares[i] = i * i;  // here: out of bounds
    int sum = 0;
    for (int i = 0; i < count; ++i) sum += squares[i];
    sums[threadIdx.x] = sum;
    delete[] squares;
}

int main() {
    const int n = 64;
    int *d_sums, sum = 0;
    cudaMalloc(&d_sums, n * sizeof(int));
    squares_kernel<<<1, n>>>(d_sums, 7);
    cudaMemcpy(&sum, d_sums, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d, %s\n", sum, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_sums);
    return 0;
}
