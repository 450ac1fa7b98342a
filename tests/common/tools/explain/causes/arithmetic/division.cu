// SPDX-License-Identifier: MIT
// A remainder by a number that is known only at run time, in the inner loop.
// With CURED: the number is known at compile time.
constexpr int kCount = 4096;
constexpr int kModulus = 97;

__global__ void power_kernel(unsigned* values, unsigned modulus) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = values[i];
#ifndef CURED
    for (int k = 0; k < 20; ++k) value = value * value % modulus;
#else
    for (int k = 0; k < 20; ++k) value = value * value % kModulus;
#endif
    values[i] = value + modulus;
}

int main() {
    unsigned* values = nullptr;
    cudaMalloc(&values, kCount * sizeof(unsigned));
    cudaMemset(values, 1, kCount * sizeof(unsigned));
    power_kernel<<<kCount / 256, 256>>>(values, kModulus);
    cudaDeviceSynchronize();
    cudaFree(values);
}
