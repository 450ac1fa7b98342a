// SPDX-License-Identifier: MIT
// 128 values are copied back from memory of 64. The runtime refuses, and the host goes on with what
// it had.
// says: the host calls cudaMemcpy(), which fails:
#include <cstdio>
#include <vector>

__global__ void fill_kernel(int* values) { values[threadIdx.x] = threadIdx.x; }

int main() {
    std::vector<int> values(128, -1);
    int* d_values;
    cudaMalloc(&d_values, 64 * sizeof(int));
    fill_kernel<<<1, 64>>>(d_values);
    cudaMemcpy(values.data(), d_values, 128 * sizeof(int),  // here: error never read
               cudaMemcpyDeviceToHost);
    printf("%d\n", values[5]);
    cudaFree(d_values);
    return 0;
}
