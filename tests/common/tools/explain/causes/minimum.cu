// SPDX-License-Identifier: MIT
// All lanes of a warp send their values to the same minimum.
// With CURED: a warp finds its minimum by shuffles; one lane sends that of the block.
constexpr int kCount = 4096;

__global__ void least_kernel(const int* values, int* least) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifndef CURED
    atomicMin(least, values[i]);
#else
    __shared__ int s_least;
    if (threadIdx.x == 0) s_least = values[i];
    __syncthreads();
    const int value = __reduce_min_sync(0xffffffffu, values[i]);
    if (threadIdx.x % 32 == 0) atomicMin(&s_least, value);
    __syncthreads();
    if (threadIdx.x == 0) atomicMin(least, s_least);
#endif
}

int main() {
    int *values = nullptr, *least = nullptr;
    cudaMalloc(&values, kCount * sizeof(int));
    cudaMalloc(&least, sizeof(int));
    cudaMemset(values, 0, kCount * sizeof(int));
    cudaMemset(least, 0, sizeof(int));
    least_kernel<<<kCount / 1024, 1024>>>(values, least);
    cudaDeviceSynchronize();
    cudaFree(values);
    cudaFree(least);
}
