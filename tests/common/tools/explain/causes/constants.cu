// SPDX-License-Identifier: MIT
// The lanes of a warp read different constants, one after the other.
// With CURED: the lanes of a warp read the same constant.
constexpr int kCount = 4096;
__constant__ float factors[256];

__global__ void scale_kernel(float* values) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifndef CURED
    values[i] *= factors[threadIdx.x];
#else
    values[i] *= factors[blockIdx.x];
#endif
}

int main() {
    float* values = nullptr;
    cudaMalloc(&values, kCount * sizeof(float));
    cudaMemset(values, 0, kCount * sizeof(float));
    scale_kernel<<<kCount / 256, 256>>>(values);
    cudaDeviceSynchronize();
    cudaFree(values);
}
