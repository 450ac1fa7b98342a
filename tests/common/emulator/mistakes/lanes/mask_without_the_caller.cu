// SPDX-License-Identifier: MIT
// The mask names the lower half of the warp, but all lanes call the function.
// says: with mask 0x0000ffff, which does not include its own lane
#include <cstdio>

__global__ void vote_kernel(const int* values, int* out) {
    const int tid = threadIdx.x;
    out[tid] = __any_sync(0xffff, values[tid] > 3);  // here: invalid call
}

int main() {
    int *d_values, *d_out;
    cudaMalloc(&d_values, 32 * sizeof(int));
    cudaMalloc(&d_out, 32 * sizeof(int));
    cudaMemset(d_values, 0, 32 * sizeof(int));
    vote_kernel<<<1, 32>>>(d_values, d_out);
    cudaDeviceSynchronize();
    printf("done\n");
    cudaFree(d_values);
    cudaFree(d_out);
    return 0;
}
