// SPDX-License-Identifier: MIT
// One thread of each block adds up the values of all others.
// With CURED: the threads of a warp add up their values together.
constexpr int kCount = 4096;

__global__ void add_kernel(const float* values, float* sums) {
#ifndef CURED
    __shared__ float s_values[32];
    s_values[threadIdx.x] = values[blockIdx.x * 32 + threadIdx.x];
    __syncwarp();
    if (threadIdx.x == 0) {
        float sum = 0.0f;
        for (int i = 0; i < 32; ++i) sum += s_values[i];
        sums[blockIdx.x] = sum;
    }
#else
    float value = values[blockIdx.x * 128 + threadIdx.x];
    for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
    if (threadIdx.x % 32 == 0) sums[blockIdx.x * 4 + threadIdx.x / 32] = value;
#endif
}

int main() {
    float *values = nullptr, *sums = nullptr;
    cudaMalloc(&values, kCount * sizeof(float));
    cudaMalloc(&sums, kCount / 32 * sizeof(float));
    cudaMemset(values, 0, kCount * sizeof(float));
#ifndef CURED
    add_kernel<<<kCount / 32, 32>>>(values, sums);
#else
    add_kernel<<<kCount / 128, 128>>>(values, sums);
#endif
    cudaDeviceSynchronize();
    cudaFree(values);
    cudaFree(sums);
}
