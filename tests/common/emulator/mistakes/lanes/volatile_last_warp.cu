// SPDX-License-Identifier: MIT
// The block sum of many old textbooks: its last warp relies on volatile in place of __syncwarp().
// says: without __syncwarp() between the two, and volatile orders nothing between threads
// says: or exchange the values by __shfl_down_sync()
// findings: 1
#include <cstdio>

constexpr int kBlockSize = 128;

__device__ void add_last_warp(volatile int* s_sum, int tid) {
    s_sum[tid] = s_sum[tid] + s_sum[tid + 32];
    s_sum[tid] = s_sum[tid] + s_sum[tid + 16];  // here: race
    s_sum[tid] = s_sum[tid] + s_sum[tid + 8];
    s_sum[tid] = s_sum[tid] + s_sum[tid + 4];
    s_sum[tid] = s_sum[tid] + s_sum[tid + 2];
    s_sum[tid] = s_sum[tid] + s_sum[tid + 1];
}

__global__ void sum_kernel(const int* in, int* out) {
    __shared__ int s_sum[kBlockSize];
    const int tid = threadIdx.x;
    s_sum[tid] = in[blockIdx.x * kBlockSize + tid];
    __syncthreads();
    if (tid < 64) s_sum[tid] += s_sum[tid + 64];
    __syncthreads();
    if (tid < 32) add_last_warp(s_sum, tid);
    if (tid == 0) out[blockIdx.x] = s_sum[0];
}

int main() {
    const int blocks = 4;
    int h_in[blocks * kBlockSize], h_out[blocks];
    for (int& value : h_in) value = 1;
    int *d_in, *d_out;
    cudaMalloc(&d_in, sizeof h_in);
    cudaMalloc(&d_out, sizeof h_out);
    cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
    sum_kernel<<<blocks, kBlockSize>>>(d_in, d_out);
    cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
    printf("%d of %d\n", h_out[0], kBlockSize);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
