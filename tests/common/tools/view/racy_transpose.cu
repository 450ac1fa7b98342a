// SPDX-License-Identifier: MIT
// A student's transposition with three mistakes: it reads a column, the threads of a block race for
// the tile, and a sum runs past the end of an array.
#include <cuda_runtime.h>

#include <cstdio>

constexpr int kSize = 64;
constexpr int kTile = 32;

__global__ void transpose_kernel(const float* in, float* out) {
    __shared__ float s_tile[kTile][kTile];
    const int x = blockIdx.x * kTile + threadIdx.x;
    const int y = blockIdx.y * kTile + threadIdx.y;
    s_tile[threadIdx.x][threadIdx.y] = in[x * kSize + y];
    // A barrier is missing here.
    out[x * kSize + y] = s_tile[threadIdx.y][threadIdx.x];
}

__global__ void sum_kernel(const float* values, float* sum, int count) {
    __shared__ float s_partial[128];
    s_partial[threadIdx.x] = 0;
    for (int i = threadIdx.x; i <= count; i += blockDim.x) s_partial[threadIdx.x] += values[i];
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < step) s_partial[threadIdx.x] += s_partial[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) *sum = s_partial[0];
}

int main() {
    float *in = nullptr, *out = nullptr, *sum = nullptr;
    cudaMalloc(&in, kSize * kSize * sizeof(float));
    cudaMalloc(&out, kSize * kSize * sizeof(float));
    cudaMalloc(&sum, sizeof(float));
    cudaMemset(in, 0, kSize * kSize * sizeof(float));
    transpose_kernel<<<dim3(kSize / kTile, kSize / kTile), dim3(kTile, kTile)>>>(in, out);
    sum_kernel<<<1, 128>>>(in, sum, kSize * kSize);
    float h_sum = 0;
    cudaMemcpy(&h_sum, sum, sizeof h_sum, cudaMemcpyDeviceToHost);
    std::printf("%.0f\n", h_sum);
    cudaFree(in);
    cudaFree(out);
    cudaFree(sum);
}
