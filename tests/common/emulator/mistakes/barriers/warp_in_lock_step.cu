// SPDX-License-Identifier: MIT
// The last warp of a reduction in lock step, as before Volta: without __syncwarp().
#include <cstdio>

__global__ void sum_kernel(const float* in, float* out) {
    __shared__ float s_sum[64];
    const int tid = threadIdx.x;
    s_sum[tid] = in[tid];
    __syncthreads();
    if (tid < 32) {
        s_sum[tid] += s_sum[tid + 32];
        s_sum[tid] += s_sum[tid + 16];  // here: race
        s_sum[tid] += s_sum[tid + 8];
        s_sum[tid] += s_sum[tid + 4];
        s_sum[tid] += s_sum[tid + 2];
        s_sum[tid] += s_sum[tid + 1];
    }
    if (tid == 0) *out = s_sum[0];
}

int main() {
    const int n = 64;
    float *d_in, *d_out, result = 0;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemset(d_in, 0, n * sizeof(float));
    sum_kernel<<<1, n>>>(d_in, d_out);
    cudaMemcpy(&result, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f, %s\n", result, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
