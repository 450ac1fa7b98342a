// SPDX-License-Identifier: MIT
// A bitonic sort without the barrier after each step.
// says: without a barrier between the two; add __syncthreads()
// findings: 1
#include <cstdio>

constexpr int kCount = 256;

__global__ void sort_kernel(int* keys) {
    __shared__ int s_keys[kCount];
    const int tid = threadIdx.x;
    s_keys[tid] = keys[tid];
    __syncthreads();
    for (int length = 2; length <= kCount; length *= 2) {
        for (int distance = length / 2; distance > 0; distance /= 2) {
            const int other = tid ^ distance;
            if (other > tid) {
                const bool up = (tid & length) == 0;
                const int mine = s_keys[tid], its = s_keys[other];  // here: race
                s_keys[tid] = (mine > its) == up ? its : mine;
                s_keys[other] = (mine > its) == up ? mine : its;
            }
        }
    }
    __syncthreads();
    keys[tid] = s_keys[tid];
}

int main() {
    int h_keys[kCount], *d_keys;
    for (int i = 0; i < kCount; ++i) h_keys[i] = i * 37 % kCount;
    cudaMalloc(&d_keys, sizeof h_keys);
    cudaMemcpy(d_keys, h_keys, sizeof h_keys, cudaMemcpyHostToDevice);
    sort_kernel<<<1, kCount>>>(d_keys);
    cudaMemcpy(h_keys, d_keys, sizeof h_keys, cudaMemcpyDeviceToHost);
    printf("%d %d\n", h_keys[0], h_keys[kCount - 1]);
    cudaFree(d_keys);
    return 0;
}
