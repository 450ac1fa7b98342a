// SPDX-License-Identifier: MIT
// Rows of 33 floats: most rows begin inside a sector.
// With CURED: rows of 33 floats lie 64 floats apart: each begins with a sector.
constexpr int kRows = 256;
#ifndef CURED
constexpr int kPitch = 33;
#else
constexpr int kPitch = 64;
#endif

__global__ void copy_kernel(const float* from, float* to) {
    const int place = blockIdx.x * kPitch + threadIdx.x;
    to[place] = from[place];
}

int main() {
    float *from = nullptr, *to = nullptr;
    cudaMalloc(&from, kRows * kPitch * sizeof(float));
    cudaMalloc(&to, kRows * kPitch * sizeof(float));
    cudaMemset(from, 0, kRows * kPitch * sizeof(float));
    copy_kernel<<<kRows, 32>>>(from, to);
    cudaDeviceSynchronize();
    cudaFree(from);
    cudaFree(to);
}
