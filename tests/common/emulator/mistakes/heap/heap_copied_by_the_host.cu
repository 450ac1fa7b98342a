// SPDX-License-Identifier: MIT
// The host copies from memory that a kernel has allocated with new: only kernels can reach it.
#include <cstdio>

__device__ int* buffer;

__global__ void fill_kernel(int count) {
    buffer = new int[count];
    for (int i = 0; i < count; ++i) buffer[i] = i;
}

int main() {
    int *d_buffer, values[16] = {};
    const size_t bytes = sizeof values;
    fill_kernel<<<1, 1>>>(16);
    cudaMemcpyFromSymbol(&d_buffer, buffer, sizeof(int*));
    cudaMemcpy(values, d_buffer, bytes, cudaMemcpyDefault);  // here: device pointer on the host
    printf("%d\n", values[15]);
    return 0;
}
