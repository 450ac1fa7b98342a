// SPDX-License-Identifier: MIT
// A barrier in each round of a loop in which threads share nothing.
// With CURED: the barrier stands where threads share something: before the loop.
constexpr int kCount = 4096;

__global__ void smooth_kernel(const float* values, float* results) {
    __shared__ float s_first;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) s_first = values[i];
    __syncthreads();
    float value = s_first;
    for (int k = 0; k < 8; ++k) {
        value = value * 0.5f + 1.0f;
#ifndef CURED
        __syncthreads();
#endif
    }
    results[i] = value;
}

int main() {
    float *values = nullptr, *results = nullptr;
    cudaMalloc(&values, kCount * sizeof(float));
    cudaMalloc(&results, kCount * sizeof(float));
    cudaMemset(values, 0, kCount * sizeof(float));
    smooth_kernel<<<kCount / 128, 128>>>(values, results);
    cudaDeviceSynchronize();
    cudaFree(values);
    cudaFree(results);
}
