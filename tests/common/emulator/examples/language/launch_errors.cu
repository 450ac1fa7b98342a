// SPDX-License-Identifier: MIT
// Launches that the device refuses, in a program that looks for the errors: it asks how many
// threads a block may have by trying.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                        \
    do {                                                                                   \
        const cudaError_t error = (call);                                                  \
        if (error != cudaSuccess) {                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
            exit(1);                                                                       \
        }                                                                                  \
    } while (0)

__global__ void fill(int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i + 1;
}

int main() {
    const int n = 4096;
    int *d_out, last = 0, threads = n;
    CHECK(cudaMalloc(&d_out, n * sizeof(int)));
    CHECK(cudaMemset(d_out, 0, n * sizeof(int)));

    // cudaGetLastError() after each launch.
    for (; threads > 0; threads /= 2) {
        fill<<<n / threads, threads>>>(d_out, n);
        if (cudaGetLastError() == cudaSuccess) break;
    }
    CHECK(cudaMemcpy(&last, d_out + n - 1, sizeof(int), cudaMemcpyDeviceToHost));
    bool right = threads == 1024 && last == n;

    // Only the first of several errors is seen, and only much later.
    for (int i = 0; i < 3; ++i) fill<<<0, 32>>>(d_out, n);
    CHECK(cudaMemset(d_out, 0, n * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    // CUDA 13 calls it cudaErrorInvalidValue.
    const cudaError_t error = cudaPeekAtLastError();
    right &= error == cudaErrorInvalidConfiguration || error == cudaErrorInvalidValue;
    right &= cudaGetLastError() == error;
    right &= cudaGetLastError() == cudaSuccess;

    // cudaLaunchKernel() returns the error.
    int count = n;
    void* arguments[] = {&d_out, &count};
    right &= cudaLaunchKernel(fill, dim3(1), dim3(2048), arguments) != cudaSuccess;
    CHECK(cudaFree(d_out));
    printf("%s\n", right ? "right" : "wrong");
    return right ? 0 : 1;
}
