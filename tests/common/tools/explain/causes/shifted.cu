// SPDX-License-Identifier: MIT
// The list begins 3 elements after the beginning of its memory.
// With CURED: it begins 8 elements after it, at a sector.
constexpr int kCount = 4096;
#ifndef CURED
constexpr int kBefore = 3;
#else
constexpr int kBefore = 8;
#endif

__global__ void double_kernel(float* values) {
    values[kBefore + blockIdx.x * blockDim.x + threadIdx.x] *= 2.0f;
}

int main() {
    float* values = nullptr;
    cudaMalloc(&values, (kBefore + kCount) * sizeof(float));
    cudaMemset(values, 0, (kBefore + kCount) * sizeof(float));
    double_kernel<<<kCount / 256, 256>>>(values);
    cudaDeviceSynchronize();
    cudaFree(values);
}
