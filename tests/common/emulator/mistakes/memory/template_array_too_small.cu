// SPDX-License-Identifier: MIT
// A function template whose shared array has no room for the halo.
#include <cstdio>

template <typename T>
__global__ void neighbours_kernel(const T* in, T* out) {
    __shared__ T s_values[128];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    s_values[threadIdx.x] = in[i];
    if (threadIdx.x < 2) s_values[128 + threadIdx.x] = in[i];  // here: out of bounds
    __syncthreads();
    out[i] = s_values[threadIdx.x];
}

int main() {
    const int n = 256;
    float *d_in, *d_out, result = 0;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemset(d_in, 0, n * sizeof(float));
    neighbours_kernel<<<2, 128>>>(d_in, d_out);
    cudaMemcpy(&result, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f, %s\n", result, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
