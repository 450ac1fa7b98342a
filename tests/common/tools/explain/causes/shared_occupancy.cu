// SPDX-License-Identifier: MIT
// A block of 64 threads takes 40 KiB of shared memory.
// With CURED: a block of 64 threads takes 1 KiB of shared memory.
constexpr int kCount = 4096;
#ifndef CURED
constexpr int kWords = 10240;
#else
constexpr int kWords = 256;
#endif

__global__ void shift_kernel(const float* values, float* results) {
    __shared__ float s_values[kWords];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    s_values[threadIdx.x] = values[i];
    __syncthreads();
    results[i] = s_values[(threadIdx.x + 1) % 64];
}

int main() {
    float *values = nullptr, *results = nullptr;
    cudaMalloc(&values, kCount * sizeof(float));
    cudaMalloc(&results, kCount * sizeof(float));
    cudaMemset(values, 0, kCount * sizeof(float));
    shift_kernel<<<kCount / 64, 64>>>(values, results);
    cudaDeviceSynchronize();
    cudaFree(values);
    cudaFree(results);
}
