// SPDX-License-Identifier: MIT
// All blocks of a cooperative launch must fit on the device at once.
// says: cudaErrorCooperativeLaunchTooLarge
#include <cooperative_groups.h>

__global__ void shift_kernel(int* values) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int next = values[(i + 1) % (gridDim.x * blockDim.x)];
    cooperative_groups::this_grid().sync();
    values[i] = next;
}

int main() {
    const int blocks = 8192, threads = 1024;
    int* d_values;
    cudaMalloc(&d_values, blocks * threads * sizeof(int));
    cudaMemset(d_values, 0, blocks * threads * sizeof(int));
    void* args[] = {&d_values};
    cudaLaunchCooperativeKernel(shift_kernel, blocks, threads, args);  // here: error never read
    cudaDeviceSynchronize();
    cudaFree(d_values);
    return 0;
}
