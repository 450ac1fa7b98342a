// SPDX-License-Identifier: MIT
// One stream for copies and one for kernels. The kernels do not wait for the copies.
#include <cstdio>

__global__ void double_kernel(int* values) { values[threadIdx.x] *= 2; }

int main() {
    const int n = 64;
    int *d_values, *h_values;
    cudaStream_t copies, kernels;
    cudaStreamCreate(&copies);
    cudaStreamCreateWithFlags(&kernels, cudaStreamNonBlocking);
    cudaMallocHost(&h_values, n * sizeof(int));
    cudaMalloc(&d_values, n * sizeof(int));
    for (int i = 0; i < n; ++i) h_values[i] = i;
    cudaMemset(d_values, 0, n * sizeof(int));
    cudaDeviceSynchronize();
    cudaMemcpyAsync(d_values, h_values, n * sizeof(int),  // here: race between streams
                    cudaMemcpyHostToDevice, copies);
    double_kernel<<<1, n, 0, kernels>>>(d_values);
    cudaDeviceSynchronize();
    cudaMemcpy(h_values, d_values, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d, %s\n", h_values[1], cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_values);
    cudaFreeHost(h_values);
    cudaStreamDestroy(copies);
    cudaStreamDestroy(kernels);
    return 0;
}
