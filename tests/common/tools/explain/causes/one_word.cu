// SPDX-License-Identifier: MIT
// All lanes of a warp add to the same word and take turns.
// With CURED: a warp adds up its values by shuffles; one lane adds the sum of the block.
constexpr int kCount = 4096;

__global__ void add_kernel(const int* values, int* sum) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifndef CURED
    atomicAdd(sum, values[i]);
#else
    __shared__ int s_sum;
    if (threadIdx.x == 0) s_sum = 0;
    __syncthreads();
    const int value = __reduce_add_sync(0xffffffffu, values[i]);
    if (threadIdx.x % 32 == 0) atomicAdd(&s_sum, value);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(sum, s_sum);
#endif
}

int main() {
    int *values = nullptr, *sum = nullptr;
    cudaMalloc(&values, kCount * sizeof(int));
    cudaMalloc(&sum, sizeof(int));
    cudaMemset(values, 0, kCount * sizeof(int));
    cudaMemset(sum, 0, sizeof(int));
    add_kernel<<<kCount / 1024, 1024>>>(values, sum);
    cudaDeviceSynchronize();
    cudaFree(values);
    cudaFree(sum);
}
