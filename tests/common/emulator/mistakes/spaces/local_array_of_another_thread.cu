// SPDX-License-Identifier: MIT
// A thread shows its own array to all others, which reach their own memory at this address.
// says: of another thread's local memory, which only that thread reaches
#include <cuda_runtime.h>

__device__ __noinline__ void fill(int* values, int first) {
    for (int i = 0; i < 8; ++i) values[i] = first + i;
}

__global__ void share_kernel(int* out) {
    __shared__ int* s_values;
    int values[8];
    fill(values, threadIdx.x);
    if (threadIdx.x == 0) s_values = values;
    __syncthreads();
    out[threadIdx.x] = s_values[threadIdx.x % 8];  // here: out of bounds
    __syncthreads();
    out[threadIdx.x] += values[1];
}

int main() {
    int* d_out;
    cudaMalloc(&d_out, 64 * sizeof(int));
    share_kernel<<<1, 64>>>(d_out);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
