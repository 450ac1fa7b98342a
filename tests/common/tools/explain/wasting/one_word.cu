// SPDX-License-Identifier: MIT
// All lanes of a warp add to the same word and take turns.
constexpr int kCount = 4096;

__global__ void add_kernel(const int* values, int* sum) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(sum, values[i]);
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
