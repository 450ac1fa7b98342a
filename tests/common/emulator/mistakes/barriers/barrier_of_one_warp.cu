// SPDX-License-Identifier: MIT
// A barrier in a branch that only one warp takes. The other warps wait at the next barrier.
#include <cstdio>

__global__ void first_warp_kernel(const float* in, float* out) {
    __shared__ float s_sum[32];
    const int i = threadIdx.x;
    if (i < 32) {
        s_sum[i] = in[i] + in[i + 32] + in[i + 64] + in[i + 96];
        __syncthreads();  // here: barrier divergence
    }
    __syncthreads();
    out[i] = s_sum[i % 32];
}

int main() {
    const int n = 128;
    float *d_in, *d_out, result = 0;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemset(d_in, 0, n * sizeof(float));
    first_warp_kernel<<<1, n>>>(d_in, d_out);
    cudaMemcpy(&result, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f, %s\n", result, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
