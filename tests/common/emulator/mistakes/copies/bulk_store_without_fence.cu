// SPDX-License-Identifier: MIT
// A block squares its tile in shared memory, and one thread stores it in bulk. Bulk copies read
// shared memory in another way than threads write it: the fence between the two is missing.
#include <cuda_runtime.h>

#include <cstdio>
#include <cuda/ptx>
#include <numeric>
#include <vector>

namespace ptx = cuda::ptx;
using ptx::space_global, ptx::space_shared;

constexpr unsigned kThreads = 128;

__global__ void square_kernel(const int* in, int* out) {
    __shared__ alignas(16) int s_tile[kThreads];
    const unsigned first = blockIdx.x * kThreads;
    int* const to = out + first;
    const int value = in[first + threadIdx.x];
    s_tile[threadIdx.x] = value * value;
    __syncthreads();
    if (threadIdx.x != 0) return;
    ptx::cp_async_bulk(space_global, space_shared, to, s_tile, 512);  // here: missing proxy fence
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
}

int main() {
    std::vector<int> values(4 * kThreads);
    std::iota(values.begin(), values.end(), 0);
    const std::size_t bytes = values.size() * sizeof(int);
    int* d_in = nullptr;
    int* d_out = nullptr;
    cudaMalloc(&d_in, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpy(d_in, values.data(), bytes, cudaMemcpyHostToDevice);
    square_kernel<<<4, kThreads>>>(d_in, d_out);
    cudaMemcpy(values.data(), d_out, bytes, cudaMemcpyDeviceToHost);
    std::printf("the square of 9 is %d\n", values[9]);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
