// SPDX-License-Identifier: MIT
// Each step allocates and frees its temporary memory.
// With CURED: the temporary memory is allocated once.
constexpr int kCount = 4096;

__global__ void step_kernel(float* values, float* next) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    next[i] = values[i] + 1.0f;
    values[i] = next[i];
}

int main() {
    float *values = nullptr, *next = nullptr;
    cudaMalloc(&values, kCount * sizeof(float));
    cudaMemset(values, 0, kCount * sizeof(float));
#ifdef CURED
    cudaMalloc(&next, kCount * sizeof(float));
#endif
    for (int step = 0; step < 20; ++step) {
#ifndef CURED
        cudaMalloc(&next, kCount * sizeof(float));
#endif
        step_kernel<<<kCount / 256, 256>>>(values, next);
#ifndef CURED
        cudaFree(next);
#endif
    }
#ifdef CURED
    cudaFree(next);
#endif
    cudaDeviceSynchronize();
    cudaFree(values);
}
