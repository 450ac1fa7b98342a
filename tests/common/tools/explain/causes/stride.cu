// SPDX-License-Identifier: MIT
// Threads with neighbouring numbers add neighbouring rows: their elements are a row apart.
// With CURED: threads with neighbouring numbers add neighbouring columns.
constexpr int kSize = 512;

__global__ void add_kernel(const float* matrix, float* sums) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
#ifndef CURED
    for (int j = 0; j < kSize; ++j) sum += matrix[i * kSize + j];
#else
    for (int j = 0; j < kSize; ++j) sum += matrix[j * kSize + i];
#endif
    sums[i] = sum;
}

int main() {
    float *matrix = nullptr, *sums = nullptr;
    cudaMalloc(&matrix, kSize * kSize * sizeof(float));
    cudaMalloc(&sums, kSize * sizeof(float));
    cudaMemset(matrix, 0, kSize * kSize * sizeof(float));
    add_kernel<<<kSize / 128, 128>>>(matrix, sums);
    cudaDeviceSynchronize();
    cudaFree(matrix);
    cudaFree(sums);
}
