// SPDX-License-Identifier: MIT
// A product of matrices by blocks of 16 x 16: a warp reads from two rows of the left matrix.
// With CURED: a block loads a tile of both matrices once.
constexpr int kSize = 64;
constexpr int kTile = 16;

__global__ void multiply_kernel(const float* a, const float* b, float* c) {
    const int x = blockIdx.x * kTile + threadIdx.x;
    const int y = blockIdx.y * kTile + threadIdx.y;
    float sum = 0.0f;
#ifndef CURED
    for (int k = 0; k < kSize; ++k) sum += a[y * kSize + k] * b[k * kSize + x];
#else
    __shared__ float s_a[kTile][kTile], s_b[kTile][kTile];
    for (int tile = 0; tile < kSize; tile += kTile) {
        s_a[threadIdx.y][threadIdx.x] = a[y * kSize + tile + threadIdx.x];
        s_b[threadIdx.y][threadIdx.x] = b[(tile + threadIdx.y) * kSize + x];
        __syncthreads();
        for (int k = 0; k < kTile; ++k) sum += s_a[threadIdx.y][k] * s_b[k][threadIdx.x];
        __syncthreads();
    }
#endif
    c[y * kSize + x] = sum;
}

int main() {
    const size_t bytes = kSize * kSize * sizeof(float);
    float *a = nullptr, *b = nullptr, *c = nullptr;
    for (float** matrix : {&a, &b, &c}) cudaMalloc(matrix, bytes);
    cudaMemset(a, 0, bytes);
    cudaMemset(b, 0, bytes);
    multiply_kernel<<<dim3(kSize / kTile, kSize / kTile), dim3(kTile, kTile)>>>(a, b, c);
    cudaDeviceSynchronize();
    for (float* matrix : {a, b, c}) cudaFree(matrix);
}
