// SPDX-License-Identifier: MIT
// A thread's tile has three columns. The index of the loop goes on to those of the next row.
// says: uses element 3 of its local array tile, which has 3 elements
#include <cuda_runtime.h>

template <int kRows, int kColumns>
__global__ void add_kernel(float* sums) {
    float total = 0, tile[kRows][kColumns];
    for (int row = 0; row < kRows; ++row)
        for (int column = 0; column < kColumns; ++column) tile[row][column] = row + column;
    for (int row = 0; row < kRows; ++row)
        for (int column = 0; column < kRows; ++column) {
            total += tile[row][column];  // here: out of bounds
        }
    sums[threadIdx.x] = total;
}

int main() {
    float* d_sums;
    cudaMalloc(&d_sums, 64 * sizeof(float));
    add_kernel<4, 3><<<1, 64>>>(d_sums);
    cudaDeviceSynchronize();
    cudaFree(d_sums);
    return 0;
}
