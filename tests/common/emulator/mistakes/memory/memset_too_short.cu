// SPDX-License-Identifier: MIT
// cudaMemset() gets the number of counters, but needs a number of bytes.
#include <cstdio>

__global__ void count_kernel(const unsigned char* in, int* counts, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&counts[in[i]], 1);  // here: uninitialised global memory
}

int main() {
    const int n = 1000, bins = 256;
    unsigned char h_in[n], *d_in;
    int *d_counts, result = 0;
    for (int i = 0; i < n; ++i) h_in[i] = i % bins;
    cudaMalloc(&d_in, n);
    cudaMalloc(&d_counts, bins * sizeof(int));
    cudaMemcpy(d_in, h_in, n, cudaMemcpyHostToDevice);
    cudaMemset(d_counts, 0, bins);
    count_kernel<<<(n + 127) / 128, 128>>>(d_in, d_counts, n);
    cudaMemcpy(&result, d_counts + bins - 1, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d, %s\n", result, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_in);
    cudaFree(d_counts);
    return 0;
}
