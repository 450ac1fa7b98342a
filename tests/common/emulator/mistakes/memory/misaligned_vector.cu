// SPDX-License-Identifier: MIT
// A workspace is cut after an odd number of floats: its second part is no place for a float4.
// says: reads 16 bytes
// says: an address that is no multiple of 16
#include <cstdio>

__global__ void twice_kernel(const float4* in, float* out) {
    const float4 four = in[threadIdx.x];  // here: misaligned address
    out[threadIdx.x] = 2 * (four.x + four.y + four.z + four.w);
}

int main() {
    const int n = 32, first = 33;
    float *d_workspace, *d_out, result = 0;
    cudaMalloc(&d_workspace, (first + 4 * n) * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemset(d_workspace, 0, (first + 4 * n) * sizeof(float));
    twice_kernel<<<1, n>>>(reinterpret_cast<const float4*>(d_workspace + first), d_out);
    cudaMemcpy(&result, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", result);
    cudaFree(d_workspace);
    cudaFree(d_out);
    return 0;
}
