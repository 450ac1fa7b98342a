// SPDX-License-Identifier: MIT
// The weights are one more than the table of constants has; another table follows it.
// says: 0 bytes past the end of c_weights (64 bytes)
#include <cuda_runtime.h>

static __constant__ float c_offsets[16];
static __constant__ float c_weights[16];
static __constant__ float c_scales[16];

__global__ void weigh_kernel(float* values) {
    const int i = threadIdx.x;
    values[i] *= c_weights[i % 17];  // here: out of bounds
    values[i] = values[i] * c_scales[i % 16] + c_offsets[i % 16];
}

int main() {
    float* d_values;
    cudaMalloc(&d_values, 32 * sizeof(float));
    cudaMemset(d_values, 0, 32 * sizeof(float));
    weigh_kernel<<<1, 32>>>(d_values);
    cudaDeviceSynchronize();
    cudaFree(d_values);
    return 0;
}
