// SPDX-License-Identifier: MIT
// Every warp of a block loads all values from global memory.
constexpr int kCount = 1024;

__global__ void distances_kernel(const float* places, float* sums) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float own = places[i];
    float sum = 0.0f;
    for (int j = 0; j < kCount; ++j) sum += fabsf(places[j] - own);
    sums[i] = sum;
}

int main() {
    float *places = nullptr, *sums = nullptr;
    cudaMalloc(&places, kCount * sizeof(float));
    cudaMalloc(&sums, kCount * sizeof(float));
    cudaMemset(places, 0, kCount * sizeof(float));
    distances_kernel<<<kCount / 256, 256>>>(places, sums);
    cudaDeviceSynchronize();
    cudaFree(places);
    cudaFree(sums);
}
