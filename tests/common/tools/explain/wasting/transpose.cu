// SPDX-License-Identifier: MIT
// The rows are read along the lanes, and the columns written across them.
constexpr int kSize = 128;
constexpr int kTile = 32;

__global__ void transpose_kernel(const float* from, float* to) {
    const int x = blockIdx.x * kTile + threadIdx.x;
    const int y = blockIdx.y * kTile + threadIdx.y;
    for (int row = 0; row < kTile; row += 8) to[x * kSize + y + row] = from[(y + row) * kSize + x];
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
