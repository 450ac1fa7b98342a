// SPDX-License-Identifier: MIT
// The second step reads by __ldg() what the first step of the same kernel wrote. The barrier orders
// the two, but the read-only cache may hold the values from before.
// says: in the same kernel: the read-only cache may still hold the old value
#include <cuda_runtime.h>

__global__ void smooth_kernel(const float* in, float* middle, float* out) {
    const int i = threadIdx.x;
    middle[i] = __ldg(&in[i]) * 0.5f;
    __syncthreads();
    const float next = __ldg(&middle[(i + 1) % 64]);  // here: stale load
    out[i] = middle[i] + next;
}

int main() {
    float *d_in, *d_middle, *d_out;
    cudaMalloc(&d_in, 64 * sizeof(float));
    cudaMemset(d_in, 0, 64 * sizeof(float));
    cudaMalloc(&d_middle, 64 * sizeof(float));
    cudaMalloc(&d_out, 64 * sizeof(float));
    smooth_kernel<<<1, 64>>>(d_in, d_middle, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_middle);
    cudaFree(d_out);
    return 0;
}
