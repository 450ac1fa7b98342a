// SPDX-License-Identifier: MIT
// Whole warps return before the barrier: they have no element.
#include <cstdio>

__global__ void sum_kernel(const float* in, float* out, int n) {
    __shared__ float s_sum[128];
    const int i = threadIdx.x;
    if (i >= n) return;
    s_sum[i] = in[i];
    __syncthreads();  // here: warning: barrier after the end of threads
    if (i == 0) {
        float sum = 0;
        for (int j = 0; j < n; ++j) sum += s_sum[j];
        *out = sum;
    }
}

int main() {
    const int n = 64;
    float *d_in, *d_out, result = 0;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, sizeof(float));
    cudaMemset(d_in, 0, n * sizeof(float));
    sum_kernel<<<1, 128>>>(d_in, d_out, n);
    cudaMemcpy(&result, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f, %s\n", result, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
