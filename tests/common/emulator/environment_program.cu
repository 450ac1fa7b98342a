// SPDX-License-Identifier: MIT
// Prints the device's name and the order in which blocks ran.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void log_block_kernel(int* log, int* count) { log[atomicAdd(count, 1)] = blockIdx.x; }

int main() {
    constexpr int kBlocks = 8;
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) return 1;
    int* log = nullptr;
    if (cudaMallocManaged(&log, (kBlocks + 1) * sizeof(int)) != cudaSuccess) return 1;
    log[kBlocks] = 0;
    log_block_kernel<<<kBlocks, 1>>>(log, log + kBlocks);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    std::printf("%s\n", properties.name);
    for (int i = 0; i < kBlocks; ++i) std::printf("%d%c", log[i], i + 1 < kBlocks ? ' ' : '\n');
    return 0;
}
