// SPDX-License-Identifier: MIT
// One thread reserves room for its block. The others use the offset before it is there.
// says: shared memory that thread
// says: without a barrier between the two; add __syncthreads()
// findings: 2
#include <cstdio>

__global__ void append_kernel(int* count, int* out) {
    __shared__ int s_offset;
    const int tid = threadIdx.x;
    if (tid == 40) s_offset = atomicAdd(count, 64);  // here: race
    out[s_offset + tid] = tid;
}

int main() {
    int *d_count, *d_out;
    cudaMalloc(&d_count, sizeof(int));
    cudaMalloc(&d_out, 4 * 64 * sizeof(int));
    cudaMemset(d_count, 0, sizeof(int));
    append_kernel<<<4, 64>>>(d_count, d_out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(d_count);
    cudaFree(d_out);
    return 0;
}
