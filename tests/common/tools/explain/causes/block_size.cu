// SPDX-License-Identifier: MIT
// A block has 40 threads, so its second warp has 8 lanes.
// With CURED: a block has 128 threads, which are whole warps.
constexpr int kCount = 5120;
#ifndef CURED
constexpr int kBlockSize = 40;
#else
constexpr int kBlockSize = 128;
#endif

__global__ void double_kernel(float* values) {
    values[blockIdx.x * blockDim.x + threadIdx.x] *= 2.0f;
}

int main() {
    float* values = nullptr;
    cudaMalloc(&values, kCount * sizeof(float));
    cudaMemset(values, 0, kCount * sizeof(float));
    double_kernel<<<kCount / kBlockSize, kBlockSize>>>(values);
    cudaDeviceSynchronize();
    cudaFree(values);
}
