// SPDX-License-Identifier: MIT
// A tiled matrix product without its second barrier: the next tile overwrites this one.
#include <cstdio>

__global__ void multiply_kernel(const float* a, const float* b, float* c, int n) {
    __shared__ float s_a[16][16], s_b[16][16];
    const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int tile = 0; tile < n / 16; ++tile) {
        s_a[threadIdx.y][threadIdx.x] = a[row * n + tile * 16 + threadIdx.x];  // here: race
        s_b[threadIdx.y][threadIdx.x] = b[(tile * 16 + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += s_a[threadIdx.y][k] * s_b[k][threadIdx.x];
    }
    c[row * n + column] = sum;
}

int main() {
    const int n = 64 * 64;
    float *d_in, *d_out, result = 0;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemset(d_in, 0, n * sizeof(float));
    multiply_kernel<<<dim3(4, 4), dim3(16, 16)>>>(d_in, d_in, d_out, 64);
    cudaMemcpy(&result, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f, %s\n", result, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
