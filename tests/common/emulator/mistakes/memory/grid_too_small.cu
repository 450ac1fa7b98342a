// SPDX-License-Identifier: MIT
// The number of blocks is rounded down: no thread writes the last elements, and the host uses them.
// says: copied from device memory at grid_too_small.cu:20
// says: byte 384 of allocation 2 (400 bytes), allocated at grid_too_small.cu:17
#include <cstdio>
#include <vector>

__global__ void double_kernel(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2 * in[i];
}

int main() {
    const int n = 100, threads = 32;
    std::vector<int> h_in(n, 1), h_out(n);
    int *d_in, *d_out, sum = 0;
    for (int** array : {&d_in, &d_out}) cudaMalloc(array, n * sizeof(int));
    cudaMemcpy(d_in, h_in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    double_kernel<<<n / threads, threads>>>(d_in, d_out, n);
    cudaMemcpy(h_out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i) sum += h_out[i];  // here: uninitialised global memory
    printf("%d (expected %d), %s\n", sum, 2 * n, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
