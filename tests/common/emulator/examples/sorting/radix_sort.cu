// SPDX-License-Identifier: MIT
// Radix sort with four bits per pass: counts per block, a scan of them by shuffles of one warp, and
// a stable scatter whose places within a block come from ballots.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#define CHECK(call)                                                                        \
    do {                                                                                   \
        const cudaError_t error = (call);                                                  \
        if (error != cudaSuccess) {                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
            exit(1);                                                                       \
        }                                                                                  \
    } while (0)

#define RADIX_BITS 4
#define RADIX (1 << RADIX_BITS)
#define THREADS 128
#define WARPS (THREADS / 32)

__global__ void count_digits(const unsigned int* keys, int n, int shift, int* counts) {
    __shared__ int s_counts[RADIX];
    if (threadIdx.x < RADIX) s_counts[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&s_counts[(keys[i] >> shift) & (RADIX - 1)], 1);
    __syncthreads();
    // Digit by digit, so that one scan gives every block its places.
    if (threadIdx.x < RADIX) counts[threadIdx.x * gridDim.x + blockIdx.x] = s_counts[threadIdx.x];
}

__global__ void scan_by_one_warp(int* counts, int n) {
    int carry = 0;
    for (int base = 0; base < n; base += 32) {
        int i = base + threadIdx.x;
        int own = i < n ? counts[i] : 0;
        int sum = own;
        for (int offset = 1; offset < 32; offset *= 2) {
            int other = __shfl_up_sync(0xffffffff, sum, offset);
            if (threadIdx.x >= offset) sum += other;
        }
        if (i < n) counts[i] = carry + sum - own;
        carry += __shfl_sync(0xffffffff, sum, 31);
    }
}

__global__ void scatter(const unsigned int* keys, unsigned int* sorted, int n, int shift,
                        const int* starts) {
    __shared__ int s_warp_counts[WARPS][RADIX];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool valid = i < n;
    const unsigned int key = valid ? keys[i] : 0;
    const int digit = valid ? (int)((key >> shift) & (RADIX - 1)) : RADIX;
    // Lanes of the same digit.
    unsigned int peers = __ballot_sync(0xffffffff, valid);
    for (int bit = 0; bit < RADIX_BITS; ++bit) {
        const bool set = (digit >> bit) & 1;
        const unsigned int votes = __ballot_sync(0xffffffff, set);
        peers &= set ? votes : ~votes;
    }
    const int rank = __popc(peers & ((1u << lane) - 1));
    for (int d = lane; d < RADIX; d += 32) s_warp_counts[warp][d] = 0;
    __syncwarp();
    if (valid && rank == 0) s_warp_counts[warp][digit] = __popc(peers);
    __syncthreads();
    if (valid) {
        int place = starts[digit * gridDim.x + blockIdx.x] + rank;
        for (int before = 0; before < warp; ++before) place += s_warp_counts[before][digit];
        sorted[place] = key;
    }
}

int main() {
    const int n = 5000, blocks = (n + THREADS - 1) / THREADS;
    std::vector<unsigned int> keys(n), result(n);
    for (unsigned int& key : keys) key = (unsigned)rand() << 16 ^ (unsigned)rand();
    unsigned int *d_keys, *d_other;
    int* d_counts;
    CHECK(cudaMalloc(&d_keys, n * sizeof(unsigned int)));
    CHECK(cudaMalloc(&d_other, n * sizeof(unsigned int)));
    CHECK(cudaMalloc(&d_counts, RADIX * blocks * sizeof(int)));
    CHECK(cudaMemcpy(d_keys, keys.data(), n * sizeof(unsigned int), cudaMemcpyHostToDevice));
    for (int shift = 0; shift < 32; shift += RADIX_BITS) {
        count_digits<<<blocks, THREADS>>>(d_keys, n, shift, d_counts);
        scan_by_one_warp<<<1, 32>>>(d_counts, RADIX * blocks);
        scatter<<<blocks, THREADS>>>(d_keys, d_other, n, shift, d_counts);
        std::swap(d_keys, d_other);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(result.data(), d_keys, n * sizeof(unsigned int), cudaMemcpyDeviceToHost));
    cudaFree(d_keys);
    cudaFree(d_other);
    cudaFree(d_counts);
    std::sort(keys.begin(), keys.end());
    printf("radix_sort: %s\n", result == keys ? "right" : "wrong");
    return result == keys ? 0 : 1;
}
