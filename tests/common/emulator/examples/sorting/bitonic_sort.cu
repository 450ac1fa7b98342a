// SPDX-License-Identifier: MIT
// Bitonic sort of keys with values, as in NVIDIA's sample: small strides in shared memory, large
// strides in global memory.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                        \
    do {                                                                                   \
        const cudaError_t error = (call);                                                  \
        if (error != cudaSuccess) {                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
            exit(1);                                                                       \
        }                                                                                  \
    } while (0)

typedef unsigned int uint;
#define SHARED_SIZE_LIMIT 512U

__device__ inline void Comparator(uint& keyA, uint& valA, uint& keyB, uint& valB, uint dir) {
    uint t;
    if ((keyA > keyB) == dir) {
        t = keyA;
        keyA = keyB;
        keyB = t;
        t = valA;
        valA = valB;
        valB = t;
    }
}

__global__ void bitonicSortShared1(uint* d_DstKey, uint* d_DstVal, uint* d_SrcKey, uint* d_SrcVal) {
    __shared__ uint s_key[SHARED_SIZE_LIMIT], s_val[SHARED_SIZE_LIMIT];
    d_SrcKey += blockIdx.x * SHARED_SIZE_LIMIT + threadIdx.x;
    d_SrcVal += blockIdx.x * SHARED_SIZE_LIMIT + threadIdx.x;
    d_DstKey += blockIdx.x * SHARED_SIZE_LIMIT + threadIdx.x;
    d_DstVal += blockIdx.x * SHARED_SIZE_LIMIT + threadIdx.x;
    s_key[threadIdx.x + 0] = d_SrcKey[0];
    s_val[threadIdx.x + 0] = d_SrcVal[0];
    s_key[threadIdx.x + (SHARED_SIZE_LIMIT / 2)] = d_SrcKey[(SHARED_SIZE_LIMIT / 2)];
    s_val[threadIdx.x + (SHARED_SIZE_LIMIT / 2)] = d_SrcVal[(SHARED_SIZE_LIMIT / 2)];
    for (uint size = 2; size < SHARED_SIZE_LIMIT; size <<= 1) {
        uint ddd = (threadIdx.x & (size / 2)) != 0;
        for (uint stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            uint pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            Comparator(s_key[pos + 0], s_val[pos + 0], s_key[pos + stride], s_val[pos + stride],
                       ddd);
        }
    }
    // Odd and even blocks sort in opposite directions.
    uint ddd = blockIdx.x & 1;
    for (uint stride = SHARED_SIZE_LIMIT / 2; stride > 0; stride >>= 1) {
        __syncthreads();
        uint pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
        Comparator(s_key[pos + 0], s_val[pos + 0], s_key[pos + stride], s_val[pos + stride], ddd);
    }
    __syncthreads();
    d_DstKey[0] = s_key[threadIdx.x + 0];
    d_DstVal[0] = s_val[threadIdx.x + 0];
    d_DstKey[(SHARED_SIZE_LIMIT / 2)] = s_key[threadIdx.x + (SHARED_SIZE_LIMIT / 2)];
    d_DstVal[(SHARED_SIZE_LIMIT / 2)] = s_val[threadIdx.x + (SHARED_SIZE_LIMIT / 2)];
}

__global__ void bitonicMergeGlobal(uint* d_DstKey, uint* d_DstVal, uint* d_SrcKey, uint* d_SrcVal,
                                   uint arrayLength, uint size, uint stride, uint dir) {
    uint global_comparatorI = blockIdx.x * blockDim.x + threadIdx.x;
    uint comparatorI = global_comparatorI & (arrayLength / 2 - 1);
    uint ddd = dir ^ ((comparatorI & (size / 2)) != 0);
    uint pos = 2 * global_comparatorI - (global_comparatorI & (stride - 1));
    uint keyA = d_SrcKey[pos + 0];
    uint valA = d_SrcVal[pos + 0];
    uint keyB = d_SrcKey[pos + stride];
    uint valB = d_SrcVal[pos + stride];
    Comparator(keyA, valA, keyB, valB, ddd);
    d_DstKey[pos + 0] = keyA;
    d_DstVal[pos + 0] = valA;
    d_DstKey[pos + stride] = keyB;
    d_DstVal[pos + stride] = valB;
}

__global__ void bitonicMergeShared(uint* d_Key, uint* d_Val, uint arrayLength, uint size,
                                   uint dir) {
    __shared__ uint s_key[SHARED_SIZE_LIMIT];
    __shared__ uint s_val[SHARED_SIZE_LIMIT];
    d_Key += blockIdx.x * SHARED_SIZE_LIMIT;
    d_Val += blockIdx.x * SHARED_SIZE_LIMIT;
    for (uint i = threadIdx.x; i < SHARED_SIZE_LIMIT; i += blockDim.x) {
        s_key[i] = d_Key[i];
        s_val[i] = d_Val[i];
    }
    uint comparatorI = (blockIdx.x * blockDim.x + threadIdx.x) & ((arrayLength / 2) - 1);
    uint ddd = dir ^ ((comparatorI & (size / 2)) != 0);
    for (uint stride = SHARED_SIZE_LIMIT / 2; stride > 0; stride >>= 1) {
        __syncthreads();
        uint pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
        Comparator(s_key[pos + 0], s_val[pos + 0], s_key[pos + stride], s_val[pos + stride], ddd);
    }
    __syncthreads();
    for (uint i = threadIdx.x; i < SHARED_SIZE_LIMIT; i += blockDim.x) {
        d_Key[i] = s_key[i];
        d_Val[i] = s_val[i];
    }
}

int main() {
    const uint n = 4096, dir = 1;
    const size_t bytes = n * sizeof(uint);
    std::vector<uint> keys(n), values(n), sorted(n), places(n);
    for (uint i = 0; i < n; i++) {
        keys[i] = rand() % 1000;
        values[i] = i;
    }
    uint *d_key, *d_val, *d_key_out, *d_val_out;
    CHECK(cudaMalloc((void**)&d_key, bytes));
    CHECK(cudaMalloc((void**)&d_val, bytes));
    CHECK(cudaMalloc((void**)&d_key_out, bytes));
    CHECK(cudaMalloc((void**)&d_val_out, bytes));
    CHECK(cudaMemcpy(d_key, keys.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_val, values.data(), bytes, cudaMemcpyHostToDevice));
    uint blockCount = n / SHARED_SIZE_LIMIT, threadCount = SHARED_SIZE_LIMIT / 2;
    bitonicSortShared1<<<blockCount, threadCount>>>(d_key_out, d_val_out, d_key, d_val);
    for (uint size = 2 * SHARED_SIZE_LIMIT; size <= n; size <<= 1) {
        for (unsigned stride = size / 2; stride > 0; stride >>= 1) {
            if (stride >= SHARED_SIZE_LIMIT) {
                bitonicMergeGlobal<<<n / 512, 256>>>(d_key_out, d_val_out, d_key_out, d_val_out, n,
                                                     size, stride, dir);
            } else {
                bitonicMergeShared<<<blockCount, threadCount>>>(d_key_out, d_val_out, n, size, dir);
                break;
            }
        }
    }
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sorted.data(), d_key_out, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(places.data(), d_val_out, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_key));
    CHECK(cudaFree(d_val));
    CHECK(cudaFree(d_key_out));
    CHECK(cudaFree(d_val_out));
    std::vector<bool> seen(n, false);
    bool right = std::is_sorted(sorted.begin(), sorted.end());
    for (uint i = 0; i < n && right; i++) {
        right = places[i] < n && !seen[places[i]] && keys[places[i]] == sorted[i];
        if (right) seen[places[i]] = true;
    }
    printf("bitonic_sort: %s\n", right ? "right" : "wrong");
    return right ? 0 : 1;
}
