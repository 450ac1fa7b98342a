// SPDX-License-Identifier: MIT
// Half of the warp has returned, but the mask still names it.
// says: which reads lane 16: that lane has ended without this call
#include <cstdio>

__global__ void sum_kernel(const float* values, float* sum) {
    const int lane = threadIdx.x;
    if (lane > 15) return;
    float value = values[lane];
    for (int distance = 8; distance > 0; distance >>= 1) {
        value += __shfl_down_sync(0xffffffff, value, distance);  // here: undefined lane
    }
    if (lane == 0) *sum = value;
}

int main() {
    float *d_values, *d_sum, sum = 0;
    cudaMalloc(&d_values, 32 * sizeof(float));
    cudaMalloc(&d_sum, sizeof(float));
    cudaMemset(d_values, 0, 32 * sizeof(float));
    sum_kernel<<<1, 32>>>(d_values, d_sum);
    cudaMemcpy(&sum, d_sum, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", sum);
    cudaFree(d_values);
    cudaFree(d_sum);
    return 0;
}
