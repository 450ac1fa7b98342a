// SPDX-License-Identifier: MIT
// Prefix sums: Hillis and Steele's with two buffers, Blelloch's with padding against bank conflicts
// (GPU Gems 3, chapter 39), and shuffles. For many blocks, the sums of the blocks are scanned too.
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

#define NUM_BANKS 32
#define LOG_NUM_BANKS 5
#define CONFLICT_FREE_OFFSET(n) ((n) >> LOG_NUM_BANKS)

const int BLOCK = 128;  // threads; a block scans twice as many elements, or as many

__global__ void scanHillisSteele(int* g_odata, const int* g_idata, int n) {
    extern __shared__ int temp[];
    int thid = threadIdx.x;
    int pout = 0, pin = 1;
    temp[pout * n + thid] = (thid > 0) ? g_idata[thid - 1] : 0;
    __syncthreads();
    for (int offset = 1; offset < n; offset *= 2) {
        pout = 1 - pout;
        pin = 1 - pout;
        if (thid >= offset)
            temp[pout * n + thid] = temp[pin * n + thid] + temp[pin * n + thid - offset];
        else
            temp[pout * n + thid] = temp[pin * n + thid];
        __syncthreads();
    }
    g_odata[thid] = temp[pout * n + thid];
}

__global__ void prescan(int* g_odata, int* g_sums, const int* g_idata, int total) {
    extern __shared__ int temp[];
    const int n = 2 * blockDim.x;
    const int base = blockIdx.x * n;
    int thid = threadIdx.x;
    int offset = 1;
    int ai = thid;
    int bi = thid + (n / 2);
    int bankOffsetA = CONFLICT_FREE_OFFSET(ai);
    int bankOffsetB = CONFLICT_FREE_OFFSET(bi);
    temp[ai + bankOffsetA] = base + ai < total ? g_idata[base + ai] : 0;
    temp[bi + bankOffsetB] = base + bi < total ? g_idata[base + bi] : 0;
    for (int d = n >> 1; d > 0; d >>= 1) {  // build sum in place up the tree
        __syncthreads();
        if (thid < d) {
            int ai = offset * (2 * thid + 1) - 1;
            int bi = offset * (2 * thid + 2) - 1;
            ai += CONFLICT_FREE_OFFSET(ai);
            bi += CONFLICT_FREE_OFFSET(bi);
            temp[bi] += temp[ai];
        }
        offset *= 2;
    }
    if (thid == 0) {  // clear the last element
        int last = n - 1 + CONFLICT_FREE_OFFSET(n - 1);
        if (g_sums != NULL) g_sums[blockIdx.x] = temp[last];
        temp[last] = 0;
    }
    for (int d = 1; d < n; d *= 2) {  // traverse down tree & build scan
        offset >>= 1;
        __syncthreads();
        if (thid < d) {
            int ai = offset * (2 * thid + 1) - 1;
            int bi = offset * (2 * thid + 2) - 1;
            ai += CONFLICT_FREE_OFFSET(ai);
            bi += CONFLICT_FREE_OFFSET(bi);
            int t = temp[ai];
            temp[ai] = temp[bi];
            temp[bi] += t;
        }
    }
    __syncthreads();
    if (base + ai < total) g_odata[base + ai] = temp[ai + bankOffsetA];
    if (base + bi < total) g_odata[base + bi] = temp[bi + bankOffsetB];
}

__global__ void uniformAdd(int* data, const int* sums, int total) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = sums[blockIdx.x];
    __syncthreads();
    int i = blockIdx.x * 2 * blockDim.x + threadIdx.x;
    if (i < total) data[i] += sum;
    if (i + (int)blockDim.x < total) data[i + blockDim.x] += sum;
}

__global__ void shflScan(int* data, int* partialSums, int total) {
    __shared__ int sums[32];
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    int lane_id = id % warpSize;
    int warp_id = threadIdx.x / warpSize;
    int value = id < total ? data[id] : 0;
#pragma unroll
    for (int i = 1; i <= 16; i *= 2) {
        int n = __shfl_up_sync(0xffffffff, value, i, 32);
        if (lane_id >= i) value += n;
    }
    if (threadIdx.x % warpSize == warpSize - 1) sums[warp_id] = value;
    __syncthreads();
    if (warp_id == 0 && lane_id < (blockDim.x / warpSize)) {
        int warp_sum = sums[lane_id];
        int mask = (1 << (blockDim.x / warpSize)) - 1;
        for (int i = 1; i <= (blockDim.x / warpSize); i *= 2) {
            int n = __shfl_up_sync(mask, warp_sum, i, (blockDim.x / warpSize));
            if (lane_id >= i) warp_sum += n;
        }
        sums[lane_id] = warp_sum;
    }
    __syncthreads();
    if (warp_id > 0) value += sums[warp_id - 1];
    if (id < total) data[id] = value;
    if (partialSums != NULL && threadIdx.x == blockDim.x - 1) partialSums[blockIdx.x] = value;
}

int wrong(const std::vector<int>& in, const int* d_out, bool inclusive) {
    std::vector<int> out(in.size());
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), d_out, out.size() * sizeof(int), cudaMemcpyDeviceToHost));
    long long sum = 0;
    int count = 0;
    for (size_t i = 0; i < in.size(); ++i) {
        if (out[i] != sum + (inclusive ? in[i] : 0)) ++count;
        sum += in[i];
    }
    return count;
}

int main() {
    const int n = 10000, blocks = (n + 2 * BLOCK - 1) / (2 * BLOCK);
    std::vector<int> in(n);
    for (int& value : in) value = rand() % 50 - 20;
    int *d_in, *d_out, *d_sums;
    CHECK(cudaMalloc(&d_in, n * sizeof(int)));
    CHECK(cudaMalloc(&d_out, n * sizeof(int)));
    CHECK(cudaMalloc(&d_sums, 2 * BLOCK * sizeof(int)));
    CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));

    scanHillisSteele<<<1, BLOCK, 2 * BLOCK * sizeof(int)>>>(d_out, d_in, BLOCK);
    int failures = wrong(std::vector<int>(in.begin(), in.begin() + BLOCK), d_out, false);

    const size_t bytes = (2 * BLOCK + CONFLICT_FREE_OFFSET(2 * BLOCK)) * sizeof(int);
    prescan<<<blocks, BLOCK, bytes>>>(d_out, d_sums, d_in, n);
    prescan<<<1, BLOCK, bytes>>>(d_sums, NULL, d_sums, blocks);
    uniformAdd<<<blocks, BLOCK>>>(d_out, d_sums, n);
    failures += wrong(in, d_out, false);

    const int shuffled = 1000;  // 8 blocks: their sums are added by the host
    shflScan<<<(shuffled + BLOCK - 1) / BLOCK, BLOCK>>>(d_in, d_sums, shuffled);
    std::vector<int> sums(8), scanned(shuffled);
    CHECK(cudaMemcpy(sums.data(), d_sums, 8 * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(scanned.data(), d_in, shuffled * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0, before = 0; i < shuffled; ++i) {
        scanned[i] += before;
        if (i % BLOCK == BLOCK - 1) before += sums[i / BLOCK];
    }
    CHECK(cudaMemcpy(d_out, scanned.data(), shuffled * sizeof(int), cudaMemcpyHostToDevice));
    failures += wrong(std::vector<int>(in.begin(), in.begin() + shuffled), d_out, true);
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(d_sums);
    printf("scan: %d wrong\n", failures);
    return failures == 0 ? 0 : 1;
}
