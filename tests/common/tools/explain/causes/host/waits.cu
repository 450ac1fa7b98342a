// SPDX-License-Identifier: MIT
// The host waits after each launch.
// With CURED: the host waits once.
constexpr int kCount = 4096;

__global__ void step_kernel(float* values) {
    values[blockIdx.x * blockDim.x + threadIdx.x] += 1.0f;
}

int main() {
    float* values = nullptr;
    cudaMalloc(&values, kCount * sizeof(float));
    cudaMemset(values, 0, kCount * sizeof(float));
    for (int step = 0; step < 20; ++step) {
        step_kernel<<<kCount / 256, 256>>>(values);
#ifndef CURED
        cudaDeviceSynchronize();
#endif
    }
    cudaDeviceSynchronize();
    cudaFree(values);
}
