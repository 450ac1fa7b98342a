// SPDX-License-Identifier: MIT
// A tree reduction without the barrier in its loop.
#include <cstdio>

__global__ void sum_kernel(const float* in, float* out) {
    __shared__ float s_sum[256];
    s_sum[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < step) s_sum[threadIdx.x] += s_sum[threadIdx.x + step];  // here: race
    }
    if (threadIdx.x == 0) out[blockIdx.x] = s_sum[0];
}

int main() {
    const int n = 1024;
    float *d_in, *d_out, result = 0;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemset(d_in, 0, n * sizeof(float));
    sum_kernel<<<n / 256, 256>>>(d_in, d_out);
    cudaMemcpy(&result, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f, %s\n", result, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
