// SPDX-License-Identifier: MIT
// The digits of a number in base 17 need a table with one letter more.
// says: 0 bytes past the end of letters (16 bytes)
#include <cuda_runtime.h>

__device__ char signs[16] = {'+', '-'};
__device__ char letters[16] = {'0', '1', '2', '3', '4', '5', '6', '7',
                               '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'};
__device__ char points[16] = {'.', ','};

__global__ void write_kernel(char* text) {
    text[threadIdx.x] = letters[threadIdx.x % 17];  // here: out of bounds
    if (threadIdx.x == 0) text[0] = signs[text[1] == points[0]];
}

int main() {
    char* d_text;
    cudaMalloc(&d_text, 32);
    write_kernel<<<1, 32>>>(d_text);
    cudaDeviceSynchronize();
    cudaFree(d_text);
    return 0;
}
