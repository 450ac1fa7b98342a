// SPDX-License-Identifier: MIT
// The heap has 8 MB unless the program asks for more. Nobody tests whether malloc() returned
// memory.
#include <cstdio>
#include <cstdlib>

__global__ void tables_kernel(int* out, int count) {
    int* table = (int*)malloc(count * sizeof(int));
    for (int i = 0; i < count; i += 1024) table[i] = i;  // here: out of bounds
    out[threadIdx.x] = table[1024 * threadIdx.x];
    free(table);
}

int main() {
    const int n = 64;
    int *d_out, result = 0;
    cudaMalloc(&d_out, n * sizeof(int));
    tables_kernel<<<1, n>>>(d_out, 1 << 17);
    cudaMemcpy(&result, d_out, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d, %s\n", result, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_out);
    return 0;
}
