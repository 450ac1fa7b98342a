// SPDX-License-Identifier: MIT
// Two barriers in the branches of one `if`, which divides each warp.
#include <cstdio>

__global__ void neighbours_kernel(const float* in, float* out) {
    __shared__ float s_values[128];
    const int i = threadIdx.x;
    if (i % 2 == 0) {
        s_values[i] = in[i];
        __syncthreads();  // here: barrier divergence
    } else {
        s_values[i] = -in[i];
        __syncthreads();
    }
    out[i] = s_values[i ^ 1];
}

int main() {
    const int n = 128;
    float *d_in, *d_out, result = 0;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemset(d_in, 0, n * sizeof(float));
    neighbours_kernel<<<1, n>>>(d_in, d_out);
    cudaMemcpy(&result, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f, %s\n", result, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
