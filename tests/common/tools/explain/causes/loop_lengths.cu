// SPDX-License-Identifier: MIT
// Thread i passes its loop i % 32 times: a warp takes as long as its last lane.
// With CURED: thread i passes its loop as often as all threads of its warp.
constexpr int kCount = 4096;

__global__ void count_kernel(float* values) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifndef CURED
    const int length = i % 32;
#else
    const int length = i / 32 % 32;
#endif
    float value = 1.0f;
    for (int k = 0; k < length; ++k) value = value * 0.5f + 1.0f;
    values[i] = value;
}

int main() {
    float* values = nullptr;
    cudaMalloc(&values, kCount * sizeof(float));
    count_kernel<<<kCount / 256, 256>>>(values);
    cudaDeviceSynchronize();
    cudaFree(values);
}
