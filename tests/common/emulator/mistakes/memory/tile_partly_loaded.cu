// SPDX-License-Identifier: MIT
// The last block loads only a part of its tile, and reads all of it.
#include <cstdio>

__global__ void sum_kernel(const float* in, float* out, int n) {
    __shared__ float s_tile[128];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) s_tile[threadIdx.x] = in[i];
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0;
        for (int k = 0; k < blockDim.x; ++k) {
            sum += s_tile[k];  // here: uninitialised shared memory
        }
        out[blockIdx.x] = sum;
    }
}

int main() {
    const int n = 300;
    float *d_in, *d_out, result = 0;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemset(d_in, 0, n * sizeof(float));
    sum_kernel<<<(n + 127) / 128, 128>>>(d_in, d_out, n);
    cudaMemcpy(&result, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f, %s\n", result, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
