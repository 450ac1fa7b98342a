// SPDX-License-Identifier: MIT
// The host reads managed memory while the kernel that writes it may still run.
#include <cstdio>

__global__ void fill_kernel(int* out) { out[threadIdx.x] = threadIdx.x; }

int main() {
    int* out;
    cudaMallocManaged(&out, 64 * sizeof(int));
    fill_kernel<<<1, 64>>>(out);
    printf("%d\n", out[10]);  // here: missing synchronisation
    cudaDeviceSynchronize();
    cudaFree(out);
    return 0;
}
