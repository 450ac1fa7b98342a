// SPDX-License-Identifier: MIT
// Each thread of the block frees the buffer that thread 0 has allocated for all.
#include <cstdio>
#include <cstdlib>

__global__ void shared_buffer_kernel(int* out) {
    __shared__ int* s_buffer;
    if (threadIdx.x == 0) s_buffer = (int*)malloc(blockDim.x * sizeof(int));
    __syncthreads();
    s_buffer[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s_buffer[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
    free(s_buffer);  // here: double free
}

int main() {
    const int n = 64;
    int *d_out, result = 0;
    cudaMalloc(&d_out, n * sizeof(int));
    shared_buffer_kernel<<<1, n>>>(d_out);
    cudaMemcpy(&result, d_out, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d, %s\n", result, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_out);
    return 0;
}
