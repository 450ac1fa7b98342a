// SPDX-License-Identifier: MIT
// Each thread compares its value with the least one so far, and replaces it: two may do so at once.
// says: and each thread replaces what the others wrote; use atomicAdd() or another atomic operation
#include <cstdio>
#include <cstdlib>
#include <vector>

__device__ void lower(double* least, double value) {
    if (value < *least) *least = value;  // here: race
}

__global__ void least_kernel(const double* in, double* least, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) lower(least, in[i]);
}

int main() {
    const int n = 300;
    std::vector<double> in(n);
    for (int i = 0; i < n; ++i) in[i] = std::abs(i % 64 - 32);
    double *d_in, *d_least, least = 1e300;
    cudaMalloc(&d_in, n * sizeof(double));
    cudaMalloc(&d_least, sizeof(double));
    cudaMemcpy(d_in, in.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_least, &least, sizeof(double), cudaMemcpyHostToDevice);
    least_kernel<<<3, 128>>>(d_in, d_least, n);
    cudaMemcpy(&least, d_least, sizeof(double), cudaMemcpyDeviceToHost);
    printf("%g\n", least);
    cudaFree(d_in);
    cudaFree(d_least);
    return 0;
}
