// SPDX-License-Identifier: MIT
// A kernel changes a table of constants, which only the host may do.
// says: of c_scales, which no kernel may change
#include <cuda_runtime.h>

__constant__ float c_scales[32];

__device__ void set(float* scale) {
    *scale = 0.5f;  // here: constant memory written
}

__global__ void scale_kernel(float* values) {
    set(&c_scales[threadIdx.x]);
    values[threadIdx.x] *= c_scales[threadIdx.x];
}

int main() {
    float* d_values;
    cudaMalloc(&d_values, 32 * sizeof(float));
    cudaMemset(d_values, 0, 32 * sizeof(float));
    scale_kernel<<<1, 32>>>(d_values);
    cudaDeviceSynchronize();
    cudaFree(d_values);
    return 0;
}
