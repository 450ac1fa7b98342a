// SPDX-License-Identifier: MIT
// The rows are read along the lanes, and the columns written across them.
// With CURED: a tile of shared memory turns the rows into columns.
constexpr int kSize = 128;
constexpr int kTile = 32;

__global__ void transpose_kernel(const float* from, float* to) {
#ifdef CURED
    __shared__ float s_tile[kTile][kTile + 1];
#endif
    const int x = blockIdx.x * kTile + threadIdx.x;
    const int y = blockIdx.y * kTile + threadIdx.y;
#ifndef CURED
    for (int row = 0; row < kTile; row += 8) to[x * kSize + y + row] = from[(y + row) * kSize + x];
#else
    for (int row = 0; row < kTile; row += 8) {
        s_tile[threadIdx.y + row][threadIdx.x] = from[(y + row) * kSize + x];
    }
    __syncthreads();
    const int to_x = blockIdx.y * kTile + threadIdx.x;
    const int to_y = blockIdx.x * kTile + threadIdx.y;
    for (int row = 0; row < kTile; row += 8) {
        to[(to_y + row) * kSize + to_x] = s_tile[threadIdx.x][threadIdx.y + row];
    }
#endif
}

int main() {
    float *from = nullptr, *to = nullptr;
    cudaMalloc(&from, kSize * kSize * sizeof(float));
    cudaMalloc(&to, kSize * kSize * sizeof(float));
    cudaMemset(from, 0, kSize * kSize * sizeof(float));
    transpose_kernel<<<dim3(kSize / kTile, kSize / kTile), dim3(kTile, 8)>>>(from, to);
    cudaDeviceSynchronize();
    cudaFree(from);
    cudaFree(to);
}
