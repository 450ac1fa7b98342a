// SPDX-License-Identifier: MIT
// The barrier expects all threads of the block, but threads beyond the end of the data have
// returned: the phase never ends.
#include <cuda_runtime.h>

#include <cstdio>
#include <cuda/barrier>

#pragma nv_diag_suppress static_var_with_dynamic_init

constexpr int kThreads = 128;

__global__ void reverse_kernel(int* values, int count) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int s_values[kThreads];
    const int thread = threadIdx.x;
    if (thread == 0) init(&barrier, blockDim.x);
    __syncthreads();
    if (thread >= count) return;
    s_values[thread] = values[thread];
    barrier.arrive_and_wait();  // here: barrier divergence
    values[thread] = s_values[count - 1 - thread];
}

int main() {
    int* d_values = nullptr;
    cudaMalloc(&d_values, kThreads * sizeof(int));
    cudaMemset(d_values, 0, kThreads * sizeof(int));
    reverse_kernel<<<1, kThreads>>>(d_values, 100);
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(d_values);
    return 0;
}
