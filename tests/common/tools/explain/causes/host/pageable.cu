// SPDX-License-Identifier: MIT
// An asynchronous copy from pageable memory.
// With CURED: the host's memory is pinned.
#include <cstdlib>
#include <cstring>

constexpr int kCount = 4096;

__global__ void step_kernel(float* values) {
    values[blockIdx.x * blockDim.x + threadIdx.x] += 1.0f;
}

int main() {
    const size_t bytes = kCount * sizeof(float);
    float *h_values = nullptr, *values = nullptr;
#ifndef CURED
    h_values = static_cast<float*>(malloc(bytes));
#else
    cudaMallocHost(&h_values, bytes);
#endif
    memset(h_values, 0, bytes);
    cudaMalloc(&values, bytes);
    cudaMemcpyAsync(values, h_values, bytes, cudaMemcpyHostToDevice);
    step_kernel<<<kCount / 256, 256>>>(values);
    cudaDeviceSynchronize();
    cudaFree(values);
#ifndef CURED
    free(h_values);
#else
    cudaFreeHost(h_values);
#endif
}
