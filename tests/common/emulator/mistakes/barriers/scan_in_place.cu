// SPDX-License-Identifier: MIT
// The scan of Hillis and Steele with one buffer instead of two.
#include <cstdio>

__global__ void scan_kernel(const float* in, float* out) {
    extern __shared__ float s_values[];
    s_values[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int offset = 1; offset < blockDim.x; offset *= 2) {
        if (threadIdx.x >= offset)
            s_values[threadIdx.x] += s_values[threadIdx.x - offset];  // here: race
        __syncthreads();
    }
    out[threadIdx.x] = s_values[threadIdx.x];
}

int main() {
    const int n = 128;
    float *d_in, *d_out, result = 0;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemset(d_in, 0, n * sizeof(float));
    scan_kernel<<<1, n, n * sizeof(float)>>>(d_in, d_out);
    cudaMemcpy(&result, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f, %s\n", result, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
