// SPDX-License-Identifier: MIT
// The numbers of a formula for floats are doubles.
// With CURED: they are floats.
constexpr int kCount = 4096;

__global__ void wave_kernel(float* values) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = values[i];
#ifndef CURED
    for (int k = 0; k < 20; ++k) value = 0.5 * (value + 2.0 / (value + 3.14159));
#else
    for (int k = 0; k < 20; ++k) value = 0.5f * (value + 2.0f / (value + 3.14159f));
#endif
    values[i] = value;
}

int main() {
    float* values = nullptr;
    cudaMalloc(&values, kCount * sizeof(float));
    cudaMemset(values, 0, kCount * sizeof(float));
    wave_kernel<<<kCount / 256, 256>>>(values);
    cudaDeviceSynchronize();
    cudaFree(values);
}
