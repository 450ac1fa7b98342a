// SPDX-License-Identifier: MIT
// Half precision: axpy, and a dot product of pairs of halves with a sum in single precision.
#include <cuda_fp16.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                        \
    do {                                                                                   \
        const cudaError_t error = (call);                                                  \
        if (error != cudaSuccess) {                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
            exit(1);                                                                       \
        }                                                                                  \
    } while (0)

__global__ void haxpy(int n, half a, const half* x, half* y) {
    int start = threadIdx.x + blockDim.x * blockIdx.x;
    int stride = blockDim.x * gridDim.x;
    int n2 = n / 2;
    half2 *x2 = (half2*)x, *y2 = (half2*)y;
    for (int i = start; i < n2; i += stride) y2[i] = __hfma2(__halves2half2(a, a), x2[i], y2[i]);
    // first thread handles singleton for odd arrays
    if (start == 0 && (n % 2)) y[n - 1] = __hfma(a, x[n - 1], y[n - 1]);
}

__global__ void scalarProduct(const half2* a, const half2* b, float* result, int n2) {
    __shared__ float shArray[128];
    float value = 0;
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n2; i += blockDim.x * gridDim.x) {
        float2 product = __half22float2(__hmul2(a[i], b[i]));
        value += product.x + product.y;
    }
    shArray[threadIdx.x] = value;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (threadIdx.x < s) shArray[threadIdx.x] += shArray[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(result, shArray[0]);
}

int main() {
    const int n = 1001;
    std::vector<half> x(n), y(n), result(n);
    for (int i = 0; i < n; ++i) {
        x[i] = __float2half((float)(rand() % 17 - 8));
        y[i] = __float2half((float)(rand() % 9) / 4);
    }
    const half a = __float2half(2.5f);
    half *d_x, *d_y;
    float *d_sum, sum;
    CHECK(cudaMalloc(&d_x, n * sizeof(half)));
    CHECK(cudaMalloc(&d_y, n * sizeof(half)));
    CHECK(cudaMalloc(&d_sum, sizeof(float)));
    CHECK(cudaMemcpy(d_x, x.data(), n * sizeof(half), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_y, y.data(), n * sizeof(half), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_sum, 0, sizeof(float)));
    scalarProduct<<<3, 128>>>((half2*)d_x, (half2*)d_y, d_sum, n / 2);
    haxpy<<<2, 256>>>(n, a, d_x, d_y);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(result.data(), d_y, n * sizeof(half), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&sum, d_sum, sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_y));
    CHECK(cudaFree(d_sum));
    // All values are multiples of a quarter. Below 512 they are exact in eleven bits.
    int wrong = 0;
    double expected = 0;
    for (int i = 0; i < n; ++i) {
        const double xi = __half2float(x[i]), yi = __half2float(y[i]);
        wrong += !(__half2float(result[i]) == 2.5 * xi + yi);
        if (i < n / 2 * 2) expected += xi * yi;
    }
    wrong += !(sum == expected);
    printf("half_precision: %d wrong\n", wrong);
    return wrong == 0 ? 0 : 1;
}
