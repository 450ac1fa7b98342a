// SPDX-License-Identifier: MIT
// A kernel waits for a flag that the host sets only after the kernel.
#include <cstdio>

__global__ void wait_kernel(volatile int* flag, int* out) {
    while (*flag == 0) {  // here: endless kernel
    }
    *out = *flag;
}

int main() {
    int *flag, *out;
    cudaMallocManaged(&flag, sizeof(int));
    cudaMallocManaged(&out, sizeof(int));
    *flag = 0;
    cudaDeviceSynchronize();
    wait_kernel<<<1, 1>>>(flag, out);
    cudaDeviceSynchronize();
    *flag = 1;
    printf("%d\n", *out);
    cudaFree(flag);
    cudaFree(out);
    return 0;
}
