// SPDX-License-Identifier: MIT
// A block has 128 threads, which are whole warps.
constexpr int kCount = 5120;
constexpr int kBlockSize = 128;

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
