// SPDX-License-Identifier: MIT
// Every warp of a block loads all values from global memory.
// With CURED: a block loads the values once into shared memory, and all its warps use them.
constexpr int kCount = 1024;

__global__ void distances_kernel(const float* places, float* sums) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float own = places[i];
    float sum = 0.0f;
#ifndef CURED
    for (int j = 0; j < kCount; ++j) sum += fabsf(places[j] - own);
#else
    __shared__ float s_places[kCount];
    for (int j = threadIdx.x; j < kCount; j += blockDim.x) s_places[j] = places[j];
    __syncthreads();
    for (int j = 0; j < kCount; ++j) sum += fabsf(s_places[j] - own);
#endif
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
