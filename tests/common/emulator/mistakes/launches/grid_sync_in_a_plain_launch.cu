// SPDX-License-Identifier: MIT
// The blocks wait for each other, but the launch does not promise that all of them run at once.
// says: launch the kernel by cudaLaunchCooperativeKernel()
#include <cooperative_groups.h>

#include <cstdio>

__global__ void reverse_kernel(int* a, int* b) {
    const auto grid = cooperative_groups::this_grid();
    const int i = grid.thread_rank(), n = grid.size();
    a[i] = i;
    grid.sync();  // here: invalid call
    b[i] = a[n - 1 - i];
}

int main() {
    int *d_a, *d_b;
    cudaMalloc(&d_a, 128 * sizeof(int));
    cudaMalloc(&d_b, 128 * sizeof(int));
    reverse_kernel<<<2, 64>>>(d_a, d_b);
    cudaDeviceSynchronize();
    printf("done\n");
    cudaFree(d_a);
    cudaFree(d_b);
    return 0;
}
