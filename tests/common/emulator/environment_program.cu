// SPDX-License-Identifier: MIT
// Prints the device's name and the order in which blocks ran. With the argument "loop", the host
// waits for ever for the result of a kernel that never ends; "occupancy" prints that of two
// kernels.
#include <cuda_runtime.h>

#include <cstdio>
#include <string_view>

namespace {
__global__ void hidden_kernel(int* out) { *out = 1; }
}  // namespace

__global__ void log_block_kernel(int* log, int* count) { log[atomicAdd(count, 1)] = blockIdx.x; }

__global__ void wait_kernel(volatile int* flag) {
    while (*flag == 0) {
    }
}

int wait_for_ever() {
    int* flag = nullptr;
    if (cudaMalloc(&flag, sizeof *flag) != cudaSuccess) return 2;
    if (cudaMemset(flag, 0, sizeof *flag) != cudaSuccess) return 2;
    for (int done = 0; done == 0;) {
        wait_kernel<<<1, 1>>>(flag);
        static_cast<void>(cudaMemcpy(&done, flag, sizeof done, cudaMemcpyDeviceToHost));
    }
    return 0;
}

template <class Kernel>
void print_occupancy(const char* name, Kernel* kernel) {
    int blocks = 0;
    int grid = 0;
    int threads = 0;
    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, kernel);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 0);
    cudaOccupancyMaxPotentialBlockSize(&grid, &threads, kernel);
    std::printf("%s: %d registers, %d threads, %d blocks of 256, best: %d\n", name,
                attributes.numRegs, attributes.maxThreadsPerBlock, blocks, threads);
}

int print_occupancies() {
    int* out = nullptr;
    print_occupancy("log", log_block_kernel);
    print_occupancy("hidden", hidden_kernel);
    cudaMalloc(&out, sizeof *out);
    hidden_kernel<<<1, 1024>>>(out);
    std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}

int main(int argc, char** argv) {
    if (argc > 1) {
        return std::string_view(argv[1]) == "loop" ? wait_for_ever() : print_occupancies();
    }
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
