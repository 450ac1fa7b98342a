// SPDX-License-Identifier: MIT
// There are more weights than the table of constants has.
// says: 32 bytes at offset 0 do not lie in the symbol's 16 bytes
#include <cuda_runtime.h>

__constant__ float weights[4];

__global__ void scale_kernel(float* values) { values[threadIdx.x] *= weights[threadIdx.x % 4]; }

int main() {
    const float h_weights[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    float* d_values;
    cudaMalloc(&d_values, 32 * sizeof(float));
    cudaMemset(d_values, 0, 32 * sizeof(float));
    cudaMemcpyToSymbol(weights, h_weights, sizeof h_weights);  // here: error never read
    scale_kernel<<<1, 32>>>(d_values);
    cudaDeviceSynchronize();
    cudaFree(d_values);
    return 0;
}
