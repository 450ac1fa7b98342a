// SPDX-License-Identifier: MIT
// A barrier in a branch. The threads that do not take the branch end: hardware waits only for the
// others, but the CUDA C++ Programming Guide does not allow it.
#include <cstdio>

__global__ void reverse_kernel(const float* in, float* out, int n) {
    __shared__ float s_values[128];
    const int i = threadIdx.x;
    if (i < n) {
        s_values[i] = in[i];
        __syncthreads();  // here: warning: barrier after the end of threads
        out[i] = s_values[n - 1 - i];
    }
}

int main() {
    const int n = 100;
    float *d_in, *d_out, result = 0;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemset(d_in, 0, n * sizeof(float));
    reverse_kernel<<<1, 128>>>(d_in, d_out, n);
    cudaMemcpy(&result, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f, %s\n", result, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
