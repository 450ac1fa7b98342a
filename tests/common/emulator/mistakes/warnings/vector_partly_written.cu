// SPDX-License-Identifier: MIT
// Three numbers of each vector are written, and all four are loaded and added up.
// says: of which some were never written, first byte
#include <cuda_runtime.h>

__global__ void set_kernel(float4* points) {
    float4& point = points[threadIdx.x];
    point.x = point.y = point.z = 1;
}

__global__ void add_kernel(const float4* points, float* sums) {
    const float4 point = points[threadIdx.x];  // here: warning: partly unwritten vector
    sums[threadIdx.x] = point.x + point.y + point.z + point.w;
}

int main() {
    float4* d_points;
    float* d_sums;
    cudaMalloc(&d_points, 64 * sizeof(float4));
    cudaMalloc(&d_sums, 64 * sizeof(float));
    set_kernel<<<1, 64>>>(d_points);
    add_kernel<<<1, 64>>>(d_points, d_sums);
    cudaDeviceSynchronize();
    cudaFree(d_points);
    cudaFree(d_sums);
    return 0;
}
