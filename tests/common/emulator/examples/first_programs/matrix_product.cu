// SPDX-License-Identifier: MIT
// Matrix product: one thread per element from global memory, and tiles of several sizes and types.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "matrix_product.cuh"

#define CHECK(call)                                                                        \
    do {                                                                                   \
        const cudaError_t error = (call);                                                  \
        if (error != cudaSuccess) {                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
            exit(1);                                                                       \
        }                                                                                  \
    } while (0)

__global__ void matrixMulNaive(float* C, const float* A, const float* B, int rows, int inner,
                               int columns) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows || column >= columns) return;
    float sum = 0;
    for (int k = 0; k < inner; ++k) sum += A[row * inner + k] * B[k * columns + column];
    C[row * columns + column] = sum;
}

template <typename T, typename Multiply>
bool correct(const char* name, Multiply multiply) {
    const int rows = 45, inner = 70, columns = 51;
    std::vector<T> A(rows * inner), B(inner * columns), C(rows * columns, T(-1));
    for (size_t i = 0; i < A.size(); ++i) A[i] = T(rand() % 17 - 8);
    for (size_t i = 0; i < B.size(); ++i) B[i] = T(rand() % 13 - 6) / T(4);
    T *d_A, *d_B, *d_C;
    CHECK(cudaMalloc(&d_A, A.size() * sizeof(T)));
    CHECK(cudaMalloc(&d_B, B.size() * sizeof(T)));
    CHECK(cudaMalloc(&d_C, C.size() * sizeof(T)));
    CHECK(cudaMemcpy(d_A, A.data(), A.size() * sizeof(T), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_B, B.data(), B.size() * sizeof(T), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_C, 0xff, C.size() * sizeof(T)));
    multiply(d_C, d_A, d_B, rows, inner, columns);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(C.data(), d_C, C.size() * sizeof(T), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_A));
    CHECK(cudaFree(d_B));
    CHECK(cudaFree(d_C));

    // Column by column. The sums are exact, because all products are multiples of a quarter.
    int wrong = 0;
    for (int j = 0; j < columns; ++j) {
        for (int i = 0; i < rows; ++i) {
            double expected = 0;
            for (int k = inner - 1; k >= 0; --k) {
                expected += double(A[i * inner + k]) * double(B[k * columns + j]);
            }
            if (!(double(C[i * columns + j]) == expected)) ++wrong;
        }
    }
    printf("matrix_product %s: %d wrong\n", name, wrong);
    return wrong == 0;
}

int main() {
    bool right = correct<float>("naive", [](float* C, float* A, float* B, int m, int k, int n) {
        dim3 threads(32, 4, 1);
        dim3 blocks((n + threads.x - 1) / threads.x, (m + threads.y - 1) / threads.y);
        matrixMulNaive<<<blocks, threads>>>(C, A, B, m, k, n);
    });
    right &= correct<float>("16x16", multiply<16, float>);
    right &= correct<float>("32x32", multiply<32, float>);
    right &= correct<double>("double 8x8", multiply<8, double>);
    return right ? 0 : 1;
}
