// SPDX-License-Identifier: MIT
// Tree reductions as in M. Harris' slides, from interleaved addressing to shuffles and cooperative
// groups, with templates and dynamic shared memory.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace cg = cooperative_groups;

#define CHECK(call)                                                                        \
    do {                                                                                   \
        const cudaError_t error = (call);                                                  \
        if (error != cudaSuccess) {                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
            exit(1);                                                                       \
        }                                                                                  \
    } while (0)

// One name and one type for all instances of the templates below.
template <class T>
struct SharedMemory {
    __device__ inline operator T*() {
        extern __shared__ int __smem[];
        return (T*)__smem;
    }
};

template <class T>
__global__ void reduceInterleaved(const T* g_idata, T* g_odata, unsigned int n) {
    T* sdata = SharedMemory<T>();
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = (i < n) ? g_idata[i] : 0;
    __syncthreads();
    for (unsigned int s = 1; s < blockDim.x; s *= 2) {
        if ((tid % (2 * s)) == 0) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

template <class T>
__global__ void reduceBankConflicts(const T* g_idata, T* g_odata, unsigned int n) {
    T* sdata = SharedMemory<T>();
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = (i < n) ? g_idata[i] : 0;
    __syncthreads();
    for (unsigned int s = 1; s < blockDim.x; s *= 2) {
        unsigned int index = 2 * s * tid;
        if (index < blockDim.x) sdata[index] += sdata[index + s];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

template <class T>
__global__ void reduceSequential(const T* g_idata, T* g_odata, unsigned int n) {
    T* sdata = SharedMemory<T>();
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
    T mySum = (i < n) ? g_idata[i] : 0;
    if (i + blockDim.x < n) mySum += g_idata[i + blockDim.x];
    sdata[tid] = mySum;
    __syncthreads();
    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) sdata[tid] = mySum = mySum + sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = mySum;
}

template <class T, unsigned int blockSize>
__global__ void reduceUnrolled(const T* __restrict__ g_idata, T* __restrict__ g_odata,
                               unsigned int n) {
    T* sdata = SharedMemory<T>();
    unsigned int tid = threadIdx.x;
    T mySum = 0;
    for (unsigned int i = blockIdx.x * blockSize * 2 + tid; i < n; i += blockSize * 2 * gridDim.x) {
        mySum += g_idata[i];
        if (i + blockSize < n) mySum += g_idata[i + blockSize];
    }
    sdata[tid] = mySum;
    __syncthreads();
    if ((blockSize >= 512) && (tid < 256)) sdata[tid] = mySum = mySum + sdata[tid + 256];
    __syncthreads();
    if ((blockSize >= 256) && (tid < 128)) sdata[tid] = mySum = mySum + sdata[tid + 128];
    __syncthreads();
    if ((blockSize >= 128) && (tid < 64)) sdata[tid] = mySum = mySum + sdata[tid + 64];
    __syncthreads();
    cg::thread_block_tile<32> tile32 = cg::tiled_partition<32>(cg::this_thread_block());
    if (tid < 32) {
        if (blockSize >= 64) mySum += sdata[tid + 32];
        for (int offset = tile32.size() / 2; offset > 0; offset /= 2) {
            mySum += tile32.shfl_down(mySum, offset);
        }
    }
    if (tid == 0) g_odata[blockIdx.x] = mySum;
}

template <class T>
__inline__ __device__ T warpReduceSum(T val) {
    for (int offset = warpSize / 2; offset > 0; offset /= 2) {
        val += __shfl_down_sync(0xffffffff, val, offset);
    }
    return val;
}

template <class T>
__inline__ __device__ T blockReduceSum(T val) {
    static __shared__ T shared[32];
    int lane = threadIdx.x % warpSize;
    int wid = threadIdx.x / warpSize;
    val = warpReduceSum(val);
    if (lane == 0) shared[wid] = val;
    __syncthreads();
    val = (threadIdx.x < blockDim.x / warpSize) ? shared[lane] : T(0);
    if (wid == 0) val = warpReduceSum(val);
    return val;
}

template <class T>
__global__ void reduceShuffle(const T* in, T* out, unsigned int n) {
    T sum = 0;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        sum += in[i];
    sum = blockReduceSum(sum);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

template <class T>
__global__ void reduceCooperative(const T* in, T* out, unsigned int n) {
    auto cta = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(cta);
    T* sdata = SharedMemory<T>();
    T sum = 0;
    for (unsigned int i = cta.group_index().x * cta.size() + cta.thread_rank(); i < n;
         i += cta.size() * gridDim.x)
        sum += in[i];
    sum = cg::reduce(tile, sum, cg::plus<T>());
    if (tile.thread_rank() == 0) sdata[tile.meta_group_rank()] = sum;
    cg::sync(cta);
    if (tile.meta_group_rank() == 0) {
        sum = tile.thread_rank() < tile.meta_group_size() ? sdata[tile.thread_rank()] : T(0);
        sum = cg::reduce(tile, sum, cg::plus<T>());
        if (tile.thread_rank() == 0) out[cta.group_index().x] = sum;
    }
}

template <class T>
bool correct(const char* type, unsigned int n) {
    const int threads = 256;
    std::vector<T> values(n);
    for (T& value : values) value = T(rand() % 100 - 40);
    const double expected = std::accumulate(values.rbegin(), values.rend(), 0.0);
    T *d_in, *d_out;
    const int all = (n + threads - 1) / threads;
    CHECK(cudaMalloc(&d_in, n * sizeof(T)));
    CHECK(cudaMalloc(&d_out, all * sizeof(T)));
    CHECK(cudaMemcpy(d_in, values.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    bool right = true;
    for (int variant = 0; variant < 6; ++variant) {
        const int half = (n + 2 * threads - 1) / (2 * threads);
        const int blocks = variant < 2 ? all : variant == 2 ? half : (half < 4 ? half : 4);
        const size_t bytes = threads * sizeof(T);
        switch (variant) {
            case 0:
                reduceInterleaved<<<blocks, threads, bytes>>>(d_in, d_out, n);
                break;
            case 1:
                reduceBankConflicts<<<blocks, threads, bytes>>>(d_in, d_out, n);
                break;
            case 2:
                reduceSequential<T><<<blocks, threads, bytes>>>(d_in, d_out, n);
                break;
            case 3:
                reduceUnrolled<T, 256><<<blocks, threads, bytes>>>(d_in, d_out, n);
                break;
            case 4:
                reduceShuffle<<<blocks, threads>>>(d_in, d_out, n);
                break;
            case 5:
                reduceCooperative<<<blocks, threads, bytes>>>(d_in, d_out, n);
                break;
        }
        CHECK(cudaGetLastError());
        std::vector<T> partial(blocks);
        CHECK(cudaMemcpy(partial.data(), d_out, blocks * sizeof(T), cudaMemcpyDeviceToHost));
        double sum = 0;
        for (T value : partial) sum += double(value);
        if (!(sum == expected)) {
            printf("reduction %d of %u %s: %g instead of %g\n", variant, n, type, sum, expected);
            right = false;
        }
    }
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return right;
}

int main() {
    bool right = true;
    for (unsigned int n : {1u, 255u, 256u, 6000u}) {
        right &= correct<int>("int", n);
        right &= correct<float>("float", n);
        right &= correct<double>("double", n);
    }
    printf("reduction: %s\n", right ? "right" : "wrong");
    return right ? 0 : 1;
}
