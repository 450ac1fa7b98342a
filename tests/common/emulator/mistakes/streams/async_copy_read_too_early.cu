// SPDX-License-Identifier: MIT
// The host reads the result of an asynchronous copy before it waits for the stream.
#include <cstdio>

__global__ void fill_kernel(int* out) { out[threadIdx.x] = threadIdx.x; }

int main() {
    int *d_out, *h_out;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMalloc(&d_out, 64 * sizeof(int));
    cudaMallocHost(&h_out, 64 * sizeof(int));
    fill_kernel<<<1, 64, 0, stream>>>(d_out);
    cudaMemcpyAsync(h_out, d_out, 64 * sizeof(int), cudaMemcpyDeviceToHost, stream);
    int sum = 0;
    for (int i = 0; i < 64; ++i) sum += h_out[i];  // here: missing synchronisation
    printf("%d\n", sum);
    cudaStreamSynchronize(stream);
    cudaFree(d_out);
    cudaFreeHost(h_out);
    cudaStreamDestroy(stream);
    return 0;
}
