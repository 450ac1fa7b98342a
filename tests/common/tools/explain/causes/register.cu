// SPDX-License-Identifier: MIT
// The sum stays in global memory: each round of the loop loads and stores it.
// With CURED: the sum stays in a register until the end.
constexpr int kCount = 256;
constexpr int kRounds = 64;

__global__ void add_kernel(const float* values, float* sums) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifndef CURED
    for (int j = 0; j < kRounds; ++j) sums[i] += values[j * kCount + i];
#else
    float sum = sums[i];
    for (int j = 0; j < kRounds; ++j) sum += values[j * kCount + i];
    sums[i] = sum;
#endif
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
