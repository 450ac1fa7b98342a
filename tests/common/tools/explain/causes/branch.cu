// SPDX-License-Identifier: MIT
// The branch separates odd from even lanes, so a warp runs both sides.
// With CURED: the branch separates odd from even warps.
constexpr int kCount = 4096;

__global__ void mix_kernel(float* values) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = values[i];
#ifndef CURED
    if (i % 2 == 0) {
#else
    if (i / 32 % 2 == 0) {
#endif
        for (int k = 0; k < 20; ++k) value = value * 0.5f + 1.0f;
    } else {
        for (int k = 0; k < 20; ++k) value = value * value - 1.0f;
    }
    values[i] = value;
}

int main() {
    float* values = nullptr;
    cudaMalloc(&values, kCount * sizeof(float));
    cudaMemset(values, 0, kCount * sizeof(float));
    mix_kernel<<<kCount / 256, 256>>>(values);
    cudaDeviceSynchronize();
    cudaFree(values);
}
