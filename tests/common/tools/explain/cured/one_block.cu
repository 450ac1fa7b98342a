// SPDX-License-Identifier: MIT
// Many blocks share the values.
constexpr int kCount = 1 << 15;

__global__ void double_kernel(float* values) {
    const int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < kCount; i += stride) values[i] *= 2.0f;
}

int main() {
    float* values = nullptr;
    cudaMalloc(&values, kCount * sizeof(float));
    cudaMemset(values, 0, kCount * sizeof(float));
    double_kernel<<<kCount / 256, 256>>>(values);
    cudaDeviceSynchronize();
    cudaFree(values);
}
