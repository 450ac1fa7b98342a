// SPDX-License-Identifier: MIT
// One call per element copies the list to the device.
// With CURED: one call copies the list.
#include <vector>

constexpr int kCount = 4096;

__global__ void step_kernel(float* values) {
    values[blockIdx.x * blockDim.x + threadIdx.x] += 1.0f;
}

int main() {
    const std::vector<float> h_values(kCount, 1.0f);
    float* values = nullptr;
    cudaMalloc(&values, kCount * sizeof(float));
#ifndef CURED
    for (int i = 0; i < kCount; ++i)
        cudaMemcpy(values + i, &h_values[i], 4, cudaMemcpyHostToDevice);
#else
    cudaMemcpy(values, h_values.data(), kCount * sizeof(float), cudaMemcpyHostToDevice);
#endif
    step_kernel<<<kCount / 256, 256>>>(values);
    cudaDeviceSynchronize();
    cudaFree(values);
}
