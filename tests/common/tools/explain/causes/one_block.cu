// SPDX-License-Identifier: MIT
// One block works through all values: the other multiprocessors have nothing to do.
// With CURED: many blocks share the values.
constexpr int kCount = 1 << 15;

__global__ void double_kernel(float* values) {
    const int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < kCount; i += stride) values[i] *= 2.0f;
}

int main() {
    float* values = nullptr;
    cudaMalloc(&values, kCount * sizeof(float));
    cudaMemset(values, 0, kCount * sizeof(float));
#ifndef CURED
    double_kernel<<<1, 256>>>(values);
#else
    double_kernel<<<kCount / 256, 256>>>(values);
#endif
    cudaDeviceSynchronize();
    cudaFree(values);
}
