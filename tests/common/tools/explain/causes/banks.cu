// SPDX-License-Identifier: MIT
// The lanes of a warp read a column of a tile: all its elements lie in one bank.
// With CURED: the lanes of a warp read a column of a tile whose rows are padded to 33.
__global__ void columns_kernel(const float* from, float* to) {
#ifndef CURED
    __shared__ float s_tile[32][32];
#else
    __shared__ float s_tile[32][33];
#endif
    for (int row = threadIdx.y; row < 32; row += blockDim.y) {
        s_tile[row][threadIdx.x] = from[row * 32 + threadIdx.x];
    }
    __syncthreads();
    float sum = 0.0f;
    for (int i = threadIdx.y; i < 32; i += blockDim.y) sum += s_tile[threadIdx.x][i];
    to[threadIdx.y * 32 + threadIdx.x] = sum;
}

int main() {
    float *from = nullptr, *to = nullptr;
    cudaMalloc(&from, 1024 * sizeof(float));
    cudaMalloc(&to, 256 * sizeof(float));
    cudaMemset(from, 0, 1024 * sizeof(float));
    columns_kernel<<<1, dim3(32, 8)>>>(from, to);
    cudaDeviceSynchronize();
    cudaFree(from);
    cudaFree(to);
}
