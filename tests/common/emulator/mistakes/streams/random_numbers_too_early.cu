// SPDX-License-Identifier: MIT
// cuRAND writes the numbers on its own stream; the kernel reads them on another, without an event.
#include <curand.h>

#include <cstdio>

__global__ void sum_kernel(const float* values, float* sum) {
    atomicAdd(sum, values[threadIdx.x]);  // here: race between streams
}

int main() {
    const int n = 64;
    float *d_values, *d_sum, result = 0.0f;
    cudaStream_t first, second;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaMalloc(&d_values, n * sizeof(float));
    cudaMalloc(&d_sum, sizeof(float));
    cudaMemset(d_values, 0, n * sizeof(float));
    cudaMemset(d_sum, 0, sizeof(float));
    curandGenerator_t generator;
    curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT);
    curandSetStream(generator, first);
    curandGenerateUniform(generator, d_values, n);
    sum_kernel<<<1, n, 0, second>>>(d_values, d_sum);
    cudaMemcpy(&result, d_sum, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g, %s\n", static_cast<double>(result), cudaGetErrorString(cudaGetLastError()));
    curandDestroyGenerator(generator);
    cudaFree(d_values);
    cudaFree(d_sum);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    return 0;
}
