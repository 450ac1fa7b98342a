// SPDX-License-Identifier: MIT
// Memory from cudaMallocAsync() that a kernel of a second stream uses. Mistake: the first stream
// frees it without waiting for that kernel.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void square_kernel(float* values) {
    values[threadIdx.x] *= values[threadIdx.x];  // here: race between streams
}

int main() {
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEvent_t ready;
    cudaEventCreate(&ready);
    float* values;
    cudaMallocAsync(&values, 256 * sizeof(float), first);
    cudaMemsetAsync(values, 0, 256 * sizeof(float), first);
    cudaEventRecord(ready, first);
    cudaStreamWaitEvent(second, ready);
    square_kernel<<<1, 256, 0, second>>>(values);
    cudaFreeAsync(values, first);
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
