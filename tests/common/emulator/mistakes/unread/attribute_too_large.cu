// SPDX-License-Identifier: MIT
// No multiprocessor has a mebibyte of shared memory.
// says: cudaErrorInvalidValue
#include <cuda_runtime.h>

__global__ void fill_kernel(int* out) { out[threadIdx.x] = threadIdx.x; }

int main() {
    int* d_out;
    cudaMalloc(&d_out, 32 * sizeof(int));
    cudaFuncSetAttribute(fill_kernel,  // here: error never read
                         cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20);
    fill_kernel<<<1, 32>>>(d_out);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
