// SPDX-License-Identifier: MIT
// The sum of a list that no warp fits: the lanes beyond its end are in the mask, and never shuffle.
// says: calls __shfl_down_sync(), which reads lane
// says: that lane has ended without this call, so the value is undefined
// says: let all lanes call it, those without data with a neutral value such as 0
// findings: 1
#include <cstdio>

__global__ void sum_kernel(const int* values, int* sum, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int value = values[i];
        for (int distance = 16; distance > 0; distance /= 2) {
            value += __shfl_down_sync(0xffffffff, value, distance);  // here: undefined lane
        }
        if (threadIdx.x % 32 == 0) atomicAdd(sum, value);
    }
}

int main() {
    const int n = 300;
    int h_values[n], *d_values, *d_sum, sum = 0;
    for (int& value : h_values) value = 1;
    cudaMalloc(&d_values, sizeof h_values);
    cudaMalloc(&d_sum, sizeof(int));
    cudaMemcpy(d_values, h_values, sizeof h_values, cudaMemcpyHostToDevice);
    cudaMemset(d_sum, 0, sizeof(int));
    sum_kernel<<<3, 128>>>(d_values, d_sum, n);
    cudaMemcpy(&sum, d_sum, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d of %d\n", sum, n);
    cudaFree(d_values);
    cudaFree(d_sum);
    return 0;
}
