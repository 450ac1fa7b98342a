// SPDX-License-Identifier: MIT
// The other way to launch a kernel returns its error, and nobody looks at it.
// says: a block of 2048 x 1 x 1 threads
#include <cuda_runtime.h>

__global__ void fill_kernel(int* out) { out[threadIdx.x] = threadIdx.x; }

int main() {
    int* d_out;
    cudaMalloc(&d_out, 2048 * sizeof(int));
    void* arguments[] = {&d_out};
    if (d_out != nullptr)
        cudaLaunchKernel((void*)fill_kernel, 1, 2048, arguments);  // here: error never read
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
