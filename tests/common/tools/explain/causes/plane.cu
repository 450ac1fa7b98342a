// SPDX-License-Identifier: MIT
// A block of two dimensions: x selects the row, so that neighbouring lanes are a row apart.
// With CURED: a block of two dimensions: x selects the column.
constexpr int kSize = 128;

__global__ void scale_kernel(float* matrix, float factor) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
#ifndef CURED
    matrix[x * kSize + y] *= factor;
#else
    matrix[y * kSize + x] *= factor;
#endif
}

int main() {
    float* matrix = nullptr;
    cudaMalloc(&matrix, kSize * kSize * sizeof(float));
    cudaMemset(matrix, 0, kSize * kSize * sizeof(float));
    scale_kernel<<<dim3(kSize / 32, kSize / 8), dim3(32, 8)>>>(matrix, 2.0f);
    cudaDeviceSynchronize();
    cudaFree(matrix);
}
