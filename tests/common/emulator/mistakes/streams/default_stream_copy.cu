// SPDX-License-Identifier: MIT
// A copy in the default stream, which does not wait for a non-blocking stream.
#include <cstdio>

__global__ void fill_kernel(int* values) {
    values[threadIdx.x] = threadIdx.x;  // here: race between streams
}

int main() {
    const int n = 64;
    int *d_values, result[n];
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMalloc(&d_values, n * sizeof(int));
    fill_kernel<<<1, n, 0, stream>>>(d_values);
    cudaMemcpy(result, d_values, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d, %s\n", result[n - 1], cudaGetErrorString(cudaGetLastError()));
    cudaStreamSynchronize(stream);
    cudaFree(d_values);
    cudaStreamDestroy(stream);
    return 0;
}
