// SPDX-License-Identifier: MIT
// The first warp adds up all values, and the others wait for it at the barrier.
// With CURED: each warp adds up its own values.
constexpr int kCount = 256;

__global__ void add_kernel(const float* values, float* sums) {
    __shared__ float s_sums[8];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#ifndef CURED
    if (warp == 0) {
        float sum = 0.0f;
        for (int i = 0; i < kCount; ++i) sum += values[i * 32 + lane];
        if (lane < 8) s_sums[lane] = sum;
    }
#else
    float sum = 0.0f;
    for (int i = warp; i < kCount; i += 8) sum += values[i * 32 + lane];
    if (lane == 0) s_sums[warp] = sum;
#endif
    __syncthreads();
    sums[blockIdx.x * blockDim.x + threadIdx.x] = s_sums[warp];
}

int main() {
    float *values = nullptr, *sums = nullptr;
    cudaMalloc(&values, 32 * kCount * sizeof(float));
    cudaMalloc(&sums, 4 * 256 * sizeof(float));
    cudaMemset(values, 0, 32 * kCount * sizeof(float));
    add_kernel<<<4, 256>>>(values, sums);
    cudaDeviceSynchronize();
    cudaFree(values);
    cudaFree(sums);
}
