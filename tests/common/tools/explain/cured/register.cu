// SPDX-License-Identifier: MIT
// The sum stays in a register until the end.
constexpr int kCount = 256;
constexpr int kRounds = 64;

__global__ void add_kernel(const float* values, float* sums) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = sums[i];
    for (int j = 0; j < kRounds; ++j) sum += values[j * kCount + i];
    sums[i] = sum;
}

int main() {
    float *values = nullptr, *sums = nullptr;
    cudaMalloc(&values, kRounds * kCount * sizeof(float));
    cudaMalloc(&sums, kCount * sizeof(float));
    cudaMemset(values, 0, kRounds * kCount * sizeof(float));
    cudaMemset(sums, 0, kCount * sizeof(float));
    add_kernel<<<kCount / 64, 64>>>(values, sums);
    cudaDeviceSynchronize();
    cudaFree(values);
    cudaFree(sums);
}
