// SPDX-License-Identifier: MIT
// A barrier in a loop. Some threads leave the loop earlier, and wait at another barrier.
#include <cstdio>

__global__ void rounds_kernel(const float* in, float* out, int n) {
    __shared__ float s_sum[128];
    s_sum[threadIdx.x] = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        s_sum[threadIdx.x] += in[i];
        __syncthreads();  // here: barrier divergence
    }
    __syncthreads();
    if (threadIdx.x == 0) *out = s_sum[0] + s_sum[127];
}

int main() {
    const int n = 200;
    float *d_in, *d_out, result = 0;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemset(d_in, 0, n * sizeof(float));
    rounds_kernel<<<1, 128>>>(d_in, d_out, n);
    cudaMemcpy(&result, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f, %s\n", result, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
