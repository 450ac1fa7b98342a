// SPDX-License-Identifier: MIT
// A shuffle of the whole warp in a branch that only half of the warp takes.
#include <cstdio>

__global__ void shift_kernel(const float* in, float* out) {
    float value = in[threadIdx.x];
    if (threadIdx.x < 16) {
        value = __shfl_down_sync(0xffffffff, value, 1);  // here: barrier divergence
    }
    __syncthreads();
    out[threadIdx.x] = value;
}

int main() {
    const int n = 32;
    float *d_in, *d_out, result = 0;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemset(d_in, 0, n * sizeof(float));
    shift_kernel<<<1, n>>>(d_in, d_out);
    cudaMemcpy(&result, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f, %s\n", result, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
