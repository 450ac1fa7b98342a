// SPDX-License-Identifier: MIT
// A histogram in shared memory: its counts are incremented without atomics.
#include <cstdio>

__global__ void histogram_kernel(const unsigned char* text, int n, unsigned int* counts) {
    __shared__ unsigned int s_counts[16];
    if (threadIdx.x < 16) s_counts[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        s_counts[text[i] % 16]++;  // here: race
    }
    __syncthreads();
    if (threadIdx.x < 16) counts[threadIdx.x] = s_counts[threadIdx.x];
}

int main() {
    const int n = 1000;
    unsigned char h_text[n], *d_text;
    unsigned int* d_counts;
    for (int i = 0; i < n; ++i) h_text[i] = i * i % 251;
    cudaMalloc(&d_text, n);
    cudaMalloc(&d_counts, 16 * sizeof(unsigned int));
    cudaMemcpy(d_text, h_text, n, cudaMemcpyHostToDevice);
    histogram_kernel<<<1, 128>>>(d_text, n, d_counts);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(d_text);
    cudaFree(d_counts);
    return 0;
}
