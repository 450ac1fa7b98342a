// SPDX-License-Identifier: MIT
// A ring of buffers: each tile is copied while the block works on the tile before it. The wait
// leaves one group too many in flight, so that the tile it works on has not arrived.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kThreads = 128;
constexpr int kTiles = 16;
constexpr int kStages = 3;

__global__ void sum_kernel(const float* in, float* out) {
    __shared__ float s_ring[kStages][kThreads];
    const int thread = threadIdx.x;
    for (int tile = 0; tile < kStages - 1; ++tile) {
        __pipeline_memcpy_async(&s_ring[tile][thread], &in[tile * kThreads + thread], 4);
        __pipeline_commit();
    }
    float sum = 0;
    for (int tile = 0; tile < kTiles; ++tile) {
        __pipeline_wait_prior(kStages - 1);
        __syncthreads();
        const int next = tile + kStages - 1;
        if (next < kTiles) {
            __pipeline_memcpy_async(&s_ring[next % kStages][thread], &in[next * kThreads + thread],
                                    4);
        }
        __pipeline_commit();
        sum += s_ring[tile % kStages][(thread + 1) % kThreads];  // here: copy in flight
    }
    __pipeline_wait_prior(0);
    out[thread] = sum;
}

int main() {
    const std::vector<float> input(kTiles * kThreads, 1.0f);
    float* d_in = nullptr;
    float* d_out = nullptr;
    cudaMalloc(&d_in, input.size() * sizeof(float));
    cudaMalloc(&d_out, kThreads * sizeof(float));
    cudaMemcpy(d_in, input.data(), input.size() * sizeof(float), cudaMemcpyHostToDevice);
    sum_kernel<<<1, kThreads>>>(d_in, d_out);
    std::vector<float> sums(kThreads);
    cudaMemcpy(sums.data(), d_out, kThreads * sizeof(float), cudaMemcpyDeviceToHost);
    std::printf("the first sum is %.0f\n", sums[0]);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
