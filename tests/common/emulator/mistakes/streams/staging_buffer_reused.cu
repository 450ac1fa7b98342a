// SPDX-License-Identifier: MIT
// The host refills a staging buffer while a copy from it is still queued.
#include <cstdio>

int main() {
    const int n = 256;
    int *d_values, *h_staging;
    cudaMalloc(&d_values, 2 * n * sizeof(int));
    cudaMallocHost(&h_staging, n * sizeof(int));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    for (int part = 0; part < 2; ++part) {
        for (int i = 0; i < n; ++i) h_staging[i] = part * n + i;  // here: missing synchronisation
        cudaMemcpyAsync(d_values + part * n, h_staging, n * sizeof(int), cudaMemcpyHostToDevice,
                        stream);
    }
    printf("%s\n", cudaGetErrorString(cudaStreamSynchronize(stream)));
    cudaFreeHost(h_staging);
    cudaFree(d_values);
    cudaStreamDestroy(stream);
    return 0;
}
