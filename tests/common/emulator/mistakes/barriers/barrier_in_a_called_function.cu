// SPDX-License-Identifier: MIT
// Both branches call one function, which has the barrier.
#include <cstdio>

__device__ __forceinline__ void publish(float* s_values, int i, float value) {
    s_values[i] = value;
    __syncthreads();
}

__global__ void signs_kernel(const float* in, float* out) {
    __shared__ float s_values[128];
    const int i = threadIdx.x;
    if (i % 2 == 0) {
        publish(s_values, i, in[i]);  // here: barrier divergence
    } else {
        publish(s_values, i, -in[i] * 2);
        out[i] = 1;
    }
    out[i] = s_values[i ^ 1];
}

int main() {
    const int n = 128;
    float *d_in, *d_out, result = 0;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemset(d_in, 0, n * sizeof(float));
    signs_kernel<<<1, n>>>(d_in, d_out);
    cudaMemcpy(&result, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f, %s\n", result, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
