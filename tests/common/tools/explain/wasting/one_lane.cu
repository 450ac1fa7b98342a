// SPDX-License-Identifier: MIT
// One thread of each block adds up the values of all others.
constexpr int kCount = 4096;

__global__ void add_kernel(const float* values, float* sums) {
    __shared__ float s_values[32];
    s_values[threadIdx.x] = values[blockIdx.x * 32 + threadIdx.x];
    __syncwarp();
    if (threadIdx.x == 0) {
        float sum = 0.0f;
        for (int i = 0; i < 32; ++i) sum += s_values[i];
        sums[blockIdx.x] = sum;
    }
}

int main() {
    float *values = nullptr, *sums = nullptr;
    cudaMalloc(&values, kCount * sizeof(float));
    cudaMalloc(&sums, kCount / 32 * sizeof(float));
    cudaMemset(values, 0, kCount * sizeof(float));
    add_kernel<<<kCount / 32, 32>>>(values, sums);
    cudaDeviceSynchronize();
    cudaFree(values);
    cudaFree(sums);
}
