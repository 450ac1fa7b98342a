// SPDX-License-Identifier: MIT
// A program that ends without waiting for its kernel.
#include <cstdio>

__global__ void fill_kernel(int* out) { out[threadIdx.x] = threadIdx.x; }

int main() {
    int* d_out;
    cudaMalloc(&d_out, 64 * sizeof(int));
    fill_kernel<<<1, 64>>>(d_out);  // here: never synchronised
    printf("done\n");
    return 0;
}
