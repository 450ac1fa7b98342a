// SPDX-License-Identifier: MIT
// The host stops its clock before it waits for the kernel: it has measured the launch.
#include <chrono>
#include <cstdio>

__global__ void fill_kernel(float* values) { values[threadIdx.x] = 1.0f; }

int main() {
    float* values = nullptr;
    cudaMalloc(&values, 64 * sizeof(float));
    const auto begin = std::chrono::steady_clock::now();
    fill_kernel<<<1, 64>>>(values);
    const auto end = std::chrono::steady_clock::now();  // here: warning: time without the kernel
    cudaDeviceSynchronize();
    printf("%f s\n", std::chrono::duration<double>(end - begin).count());
    cudaFree(values);
    return 0;
}
