// SPDX-License-Identifier: MIT
// Tiles of kTile x kTile elements in shared memory, for sizes that are no multiple of the tile.
#pragma once

template <int kTile, typename T>
__global__ void matrixMulTiled(T* C, const T* A, const T* B, int rows, int inner, int columns) {
    __shared__ T As[kTile][kTile];
    __shared__ T Bs[kTile][kTile];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * kTile + ty;
    const int column = blockIdx.x * kTile + tx;
    T sum = 0;
    for (int tile = 0; tile < (inner + kTile - 1) / kTile; ++tile) {
        const int a_column = tile * kTile + tx;
        const int b_row = tile * kTile + ty;
        As[ty][tx] = row < rows && a_column < inner ? A[row * inner + a_column] : T(0);
        Bs[ty][tx] = b_row < inner && column < columns ? B[b_row * columns + column] : T(0);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < kTile; ++k) {
            sum += As[ty][k] * Bs[k][tx];
        }
        __syncthreads();
    }
    if (row < rows && column < columns) C[row * columns + column] = sum;
}

template <int kTile, typename T>
void multiply(T* d_C, const T* d_A, const T* d_B, int rows, int inner, int columns) {
    dim3 block(kTile, kTile);
    dim3 grid((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
    matrixMulTiled<kTile><<<grid, block>>>(d_C, d_A, d_B, rows, inner, columns);
}
