// SPDX-License-Identifier: MIT
// Each row has a launch of its own.
// With CURED: one launch has a block for each row.
constexpr int kRows = 100;
constexpr int kColumns = 128;

__global__ void fill_kernel(float* rows, int first) {
    const int row = first + blockIdx.x;
    rows[row * kColumns + threadIdx.x] = 1.0f;
}

int main() {
    float* rows = nullptr;
    cudaMalloc(&rows, kRows * kColumns * sizeof(float));
#ifndef CURED
    for (int row = 0; row < kRows; ++row) {
        fill_kernel<<<1, kColumns>>>(rows, row);
    }
#else
    fill_kernel<<<kRows, kColumns>>>(rows, 0);
#endif
    cudaDeviceSynchronize();
    cudaFree(rows);
}
