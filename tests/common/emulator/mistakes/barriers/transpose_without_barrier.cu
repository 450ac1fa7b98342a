// SPDX-License-Identifier: MIT
// A transposition through shared memory whose columns are read before all rows are there.
// says: without a barrier between the two; add __syncthreads()
// findings: 1
#include <cuda_runtime.h>

constexpr int kSide = 16;

__global__ void transpose_kernel(const float* in, float* out, int width) {
    __shared__ float s_tile[kSide][kSide + 1];
    const int column = blockIdx.x * kSide, row = blockIdx.y * kSide;
    s_tile[threadIdx.y][threadIdx.x] = in[(row + threadIdx.y) * width + column + threadIdx.x];
    const int place = (column + threadIdx.y) * width + row + threadIdx.x;
    out[place] = s_tile[threadIdx.x][threadIdx.y];  // here: race
}

int main() {
    constexpr int kWidth = 64;
    float *d_in, *d_out;
    cudaMalloc(&d_in, kWidth * kWidth * sizeof(float));
    cudaMemset(d_in, 0, kWidth * kWidth * sizeof(float));
    cudaMalloc(&d_out, kWidth * kWidth * sizeof(float));
    transpose_kernel<<<dim3(4, 4), dim3(kSide, kSide)>>>(d_in, d_out, kWidth);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
