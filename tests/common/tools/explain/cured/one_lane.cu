// SPDX-License-Identifier: MIT
// The threads of a warp add up their values together.
constexpr int kCount = 4096;

__global__ void add_kernel(const float* values, float* sums) {
    float value = values[blockIdx.x * 128 + threadIdx.x];
    for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
    if (threadIdx.x % 32 == 0) sums[blockIdx.x * 4 + threadIdx.x / 32] = value;
}

int main() {
    float *values = nullptr, *sums = nullptr;
    cudaMalloc(&values, kCount * sizeof(float));
    cudaMalloc(&sums, kCount / 32 * sizeof(float));
    cudaMemset(values, 0, kCount * sizeof(float));
    add_kernel<<<kCount / 128, 128>>>(values, sums);
    cudaDeviceSynchronize();
    cudaFree(values);
    cudaFree(sums);
}
