// SPDX-License-Identifier: MIT
// Jacobi iteration until the residual, a __device__ variable, is small: the host reads it at times.
// The occupancy calculator chooses the launch; dynamic shared memory is declared at file scope.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#define CHECK(call)                                                                        \
    do {                                                                                   \
        const cudaError_t error = (call);                                                  \
        if (error != cudaSuccess) {                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
            exit(1);                                                                       \
        }                                                                                  \
    } while (0)

extern __shared__ double block_residuals[];

__device__ double residual;

__global__ void jacobi_step(const double* __restrict__ matrix,
                            const double* __restrict__ right_side, const double* __restrict__ x,
                            double* __restrict__ next, int n) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    double change = 0;
    if (row < n) {
        double sum = right_side[row];
        for (int column = 0; column < n; ++column) {
            if (column != row) sum -= matrix[column * n + row] * x[column];
        }
        sum /= matrix[row * n + row];
        change = fabs(sum - x[row]);
        next[row] = sum;
    }
    block_residuals[threadIdx.x] = change;
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < step) {
            block_residuals[threadIdx.x] =
                fmax(block_residuals[threadIdx.x], block_residuals[threadIdx.x + step]);
        }
        __syncthreads();
    }
    // The numbers are not negative, so their bits have the same order.
    if (threadIdx.x == 0)
        atomicMax((unsigned long long*)&residual,
                  (unsigned long long)__double_as_longlong(block_residuals[0]));
}

int main() {
    const int n = 150;
    std::vector<double> matrix(n * n), solution(n), right_side(n, 0.0), x(n, 0.0);
    for (int i = 0; i < n; ++i) {
        solution[i] = rand() % 100 / 10.0 - 5;
        for (int j = 0; j < n; ++j) matrix[j * n + i] = i == j ? 2.0 * n : rand() % 100 / 50.0 - 1;
    }
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) right_side[i] += matrix[j * n + i] * solution[j];
    }
    double *d_matrix, *d_right_side, *d_x, *d_next;
    CHECK(cudaMalloc(&d_matrix, n * n * sizeof(double)));
    CHECK(cudaMalloc(&d_right_side, n * sizeof(double)));
    CHECK(cudaMalloc(&d_x, n * sizeof(double)));
    CHECK(cudaMalloc(&d_next, n * sizeof(double)));
    CHECK(cudaMemcpy(d_matrix, matrix.data(), n * n * sizeof(double), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_right_side, right_side.data(), n * sizeof(double), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_x, 0, n * sizeof(double)));

    int grid = 0, block = 0;
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, jacobi_step, 0, 64));
    if (block < 32) return 1;
    block = 64;
    double h_residual = 1;
    int steps = 0;
    while (h_residual > 1e-12 && steps < 200) {
        for (int i = 0; i < 4; ++i, ++steps) {
            const double zero = 0;
            CHECK(cudaMemcpyToSymbol(residual, &zero, sizeof(zero)));
            jacobi_step<<<(n + block - 1) / block, block, block * sizeof(double)>>>(
                d_matrix, d_right_side, d_x, d_next, n);
            std::swap(d_x, d_next);
        }
        CHECK(cudaMemcpyFromSymbol(&h_residual, residual, sizeof(h_residual)));
    }
    CHECK(cudaMemcpy(x.data(), d_x, n * sizeof(double), cudaMemcpyDeviceToHost));
    for (double* pointer : {d_matrix, d_right_side, d_x, d_next}) CHECK(cudaFree(pointer));
    double worst = 0;
    for (int i = 0; i < n; ++i) {
        const double error = std::fabs(x[i] - solution[i]);
        if (!(error <= worst)) worst = error;
    }
    printf("jacobi: %d steps, largest error %g\n", steps, worst);
    return worst < 1e-10 && steps < 200 ? 0 : 1;
}
