// SPDX-License-Identifier: MIT
// The lanes that add lie 2, 4, 8, … apart: each warp stays busy with fewer and fewer of them.
// With CURED: the first threads add, half as many in each round.
constexpr int kCount = 4096;
constexpr int kBlockSize = 256;

__global__ void total_kernel(const int* values, int* totals) {
    __shared__ int s_values[kBlockSize];
    const int t = threadIdx.x;
    s_values[t] = values[blockIdx.x * kBlockSize + t];
    __syncthreads();
#ifndef CURED
    for (int apart = 1; apart < kBlockSize; apart *= 2) {
        if ((t & (2 * apart - 1)) == 0) s_values[t] += s_values[t + apart];
        __syncthreads();
    }
#else
    for (int left = kBlockSize / 2; left > 0; left /= 2) {
        if (t < left) s_values[t] += s_values[t + left];
        __syncthreads();
    }
#endif
    if (t == 0) totals[blockIdx.x] = s_values[0];
}

int main() {
    int *values = nullptr, *totals = nullptr;
    cudaMalloc(&values, kCount * sizeof(int));
    cudaMalloc(&totals, kCount / kBlockSize * sizeof(int));
    cudaMemset(values, 0, kCount * sizeof(int));
    total_kernel<<<kCount / kBlockSize, kBlockSize>>>(values, totals);
    cudaDeviceSynchronize();
    cudaFree(values);
    cudaFree(totals);
}
