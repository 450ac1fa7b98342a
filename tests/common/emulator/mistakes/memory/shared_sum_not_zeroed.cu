// SPDX-License-Identifier: MIT
// A sum in shared memory that no thread sets to zero.
#include <cstdio>

__global__ void sum_kernel(const float* in, float* out) {
    __shared__ float s_sum;
    atomicAdd(&s_sum, in[threadIdx.x]);  // here: uninitialised shared memory
    __syncthreads();
    if (threadIdx.x == 0) *out = s_sum;
}

int main() {
    const int n = 128;
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
