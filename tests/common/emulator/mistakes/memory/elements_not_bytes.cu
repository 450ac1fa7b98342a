// SPDX-License-Identifier: MIT
// The size of dynamic shared memory in elements: the launch needs bytes.
#include <cstdio>

__global__ void reverse_kernel(const float* in, float* out) {
    extern __shared__ float s_values[];
    s_values[threadIdx.x] = in[threadIdx.x];  // here: out of bounds
    __syncthreads();
    out[threadIdx.x] = s_values[blockDim.x - 1 - threadIdx.x];
}

int main() {
    const int n = 128;
    float *d_in, *d_out, result = 0;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemset(d_in, 0, n * sizeof(float));
    reverse_kernel<<<1, n, n>>>(d_in, d_out);
    cudaMemcpy(&result, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f, %s\n", result, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
