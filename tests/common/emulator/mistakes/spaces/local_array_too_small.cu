// SPDX-License-Identifier: MIT
// Each thread keeps four values of its own, and writes five.
// says: uses element 4 of its local array mine, which has 4 elements
#include <cstdio>

__global__ void pick_kernel(const int* in, int* out) {
    int mine[4];
    for (int i = 0; i <= 4; ++i) mine[i] = in[i];  // here: out of bounds
    out[threadIdx.x] = mine[threadIdx.x % 4];
}

int main() {
    int *d_in, *d_out;
    cudaMalloc(&d_in, 64);
    cudaMemset(d_in, 0, 64);
    cudaMalloc(&d_out, 32 * sizeof(int));
    pick_kernel<<<1, 32>>>(d_in, d_out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
