// SPDX-License-Identifier: MIT
// cudaMalloc() and cudaFree() in device code: they return errors, and take memory from the device
// heap.
#include <cstdio>
#include <cstdlib>

__global__ void sums(int* out, int n) {
    int* numbers = nullptr;
    if (cudaMalloc((void**)&numbers, n * sizeof(int)) != cudaSuccess) return;
    for (int i = 0; i < n; ++i) numbers[i] = i * (threadIdx.x + 1);
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += numbers[i];
    out[threadIdx.x] = sum;
    cudaFree(numbers);
}

__global__ void too_much(int* error) {
    void* memory = nullptr;
    *error = cudaMalloc(&memory, (size_t)1 << 32);
}

int main() {
    const int threads = 64, n = 50;
    int *d_out, out[threads], error = 0;
    cudaMalloc(&d_out, threads * sizeof(int));
    sums<<<1, threads>>>(d_out, n);
    cudaMemcpy(out, d_out, threads * sizeof(int), cudaMemcpyDeviceToHost);
    bool right = true;
    for (int i = 0; i < threads; ++i) right &= out[i] == (i + 1) * n * (n - 1) / 2;
    too_much<<<1, 1>>>(d_out);
    cudaMemcpy(&error, d_out, sizeof(int), cudaMemcpyDeviceToHost);
    right &= error == cudaErrorMemoryAllocation;
    right &= cudaGetLastError() == cudaSuccess;
    cudaFree(d_out);
    printf("%s, %d\n", right ? "right" : "wrong", error);
    return right ? 0 : 1;
}
