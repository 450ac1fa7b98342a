// SPDX-License-Identifier: MIT
// The kernel throws, which device code cannot do.
// says: unspecified launch failure (cudaErrorLaunchFailure)
#include <cuda_runtime.h>

__global__ void check_kernel(const int* limits) {
    if (limits[threadIdx.x] == 0) throw 1;
}

int main() {
    int* d_limits;
    cudaMalloc(&d_limits, 32 * sizeof(int));
    cudaMemset(d_limits, 0, 32 * sizeof(int));
    check_kernel<<<1, 32>>>(d_limits);
    cudaDeviceSynchronize();  // here: error never read
    cudaFree(d_limits);
    return 0;
}
