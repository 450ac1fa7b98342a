// SPDX-License-Identifier: MIT
// A barrier in each branch: the two halves of the block wait at different barriers.
#include <cstdio>

__global__ void exchange_kernel(const float* in, float* out) {
    __shared__ float s_values[128];
    s_values[threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x < 64) {
        __syncthreads();  // here: barrier divergence
        out[threadIdx.x] = s_values[threadIdx.x + 64];
    } else {
        __syncthreads();
        out[threadIdx.x] = s_values[threadIdx.x - 64];
    }
}

int main() {
    const int n = 128;
    float *d_in, *d_out, result = 0;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemset(d_in, 0, n * sizeof(float));
    exchange_kernel<<<1, n>>>(d_in, d_out);
    cudaMemcpy(&result, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f, %s\n", result, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
