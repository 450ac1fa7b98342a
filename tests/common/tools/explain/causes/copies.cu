// SPDX-License-Identifier: MIT
// The values go to the device and back in every step.
// With CURED: the values go to the device and back once, around all steps.
#include <vector>

constexpr int kCount = 4096;

__global__ void step_kernel(float* values) {
    values[blockIdx.x * blockDim.x + threadIdx.x] += 1.0f;
}

int main() {
    std::vector<float> h_values(kCount, 0.0f);
    float* d_values = nullptr;
    const size_t bytes = kCount * sizeof(float);
    cudaMalloc(&d_values, bytes);
#ifndef CURED
    for (int step = 0; step < 10; ++step) {
        cudaMemcpy(d_values, h_values.data(), bytes, cudaMemcpyHostToDevice);
        step_kernel<<<kCount / 256, 256>>>(d_values);
        cudaMemcpy(h_values.data(), d_values, bytes, cudaMemcpyDeviceToHost);
    }
#else
    cudaMemcpy(d_values, h_values.data(), bytes, cudaMemcpyHostToDevice);
    for (int step = 0; step < 10; ++step) step_kernel<<<kCount / 256, 256>>>(d_values);
    cudaMemcpy(h_values.data(), d_values, bytes, cudaMemcpyDeviceToHost);
#endif
    cudaFree(d_values);
}
