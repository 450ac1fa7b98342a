// SPDX-License-Identifier: MIT
// Cooperative groups: filters with one atomic per group of coalesced threads, and tiles of 16 and
// 8 threads, which reduce, scan and vote on their own.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

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

using namespace cooperative_groups;
namespace cg = cooperative_groups;

__device__ int atomicAggInc(int* ctr) {
    coalesced_group active = coalesced_threads();
    int warp_res = 0;
    if (active.thread_rank() == 0) warp_res = atomicAdd(ctr, active.size());
    warp_res = active.shfl(warp_res, 0);
    return warp_res + active.thread_rank();
}

__global__ void filter_arr(int* dst, int* nres, const int* src, int n) {
    int id = threadIdx.x + blockIdx.x * blockDim.x;
    for (int i = id; i < n; i += gridDim.x * blockDim.x) {
        if (src[i] > 0) dst[atomicAggInc(nres)] = src[i];
    }
}

template <typename Group>
__device__ int sum_of(const Group& group, int* scratch, int value) {
    const int rank = group.thread_rank();
    for (int i = group.size() / 2; i > 0; i /= 2) {
        scratch[rank] = value;
        group.sync();
        if (rank < i) value += scratch[rank + i];
        group.sync();
    }
    return value;
}

// Each tile takes a row. A row has as many values as the tile has threads.
template <int kSize>
__global__ void rows(const int* values, int* sums, int* prefixes, unsigned int* signs) {
    __shared__ int scratch[128];
    thread_block block = this_thread_block();
    thread_block_tile<kSize> tile = tiled_partition<kSize>(block);
    const int i = block.group_index().x * block.size() + block.thread_rank();
    const int row = i / kSize;
    const int value = values[i];
    const int by_memory = sum_of(tile, scratch + tile.meta_group_rank() * kSize, value);
    const int by_reduce = cg::reduce(tile, value, cg::plus<int>());
    prefixes[i] = cg::exclusive_scan(tile, value);
    const unsigned int positive = tile.ballot(value > 0);
    if (tile.thread_rank() == 0) {
        sums[row] = by_memory == by_reduce ? by_memory : -1000000;
        signs[row] = positive;
    }
}

template <int kSize>
int check_rows(const std::vector<int>& values, const int* d_values) {
    const int n = (int)values.size(), count = n / kSize;
    int *d_sums, *d_prefixes;
    unsigned int* d_signs;
    CHECK(cudaMalloc(&d_sums, count * sizeof(int)));
    CHECK(cudaMalloc(&d_prefixes, n * sizeof(int)));
    CHECK(cudaMalloc(&d_signs, count * sizeof(int)));
    rows<kSize><<<n / 128, 128>>>(d_values, d_sums, d_prefixes, d_signs);
    CHECK(cudaGetLastError());
    std::vector<int> sums(count), prefixes(n);
    std::vector<unsigned int> signs(count);
    CHECK(cudaMemcpy(sums.data(), d_sums, count * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(prefixes.data(), d_prefixes, n * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(signs.data(), d_signs, count * sizeof(int), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int row = 0; row < count; ++row) {
        int sum = 0;
        unsigned int positive = 0;
        for (int rank = 0; rank < kSize; ++rank) {
            const int value = values[row * kSize + rank];
            wrong += prefixes[row * kSize + rank] != sum;
            sum += value;
            positive |= (unsigned)(value > 0) << rank;
        }
        wrong += sums[row] != sum || signs[row] != positive;
    }
    cudaFree(d_sums);
    cudaFree(d_prefixes);
    cudaFree(d_signs);
    return wrong;
}

int main() {
    const int n = 4096;
    std::vector<int> values(n), filtered;
    for (int& value : values) value = rand() % 100 - 60;
    int *d_values, *d_filtered, *d_count, count;
    CHECK(cudaMalloc(&d_values, n * sizeof(int)));
    CHECK(cudaMalloc(&d_filtered, n * sizeof(int)));
    CHECK(cudaMalloc(&d_count, sizeof(int)));
    CHECK(cudaMemcpy(d_values, values.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_count, 0, sizeof(int)));
    filter_arr<<<4, 256>>>(d_filtered, d_count, d_values, n);
    CHECK(cudaMemcpy(&count, d_count, sizeof(int), cudaMemcpyDeviceToHost));
    filtered.resize(count);
    CHECK(cudaMemcpy(filtered.data(), d_filtered, count * sizeof(int), cudaMemcpyDeviceToHost));
    std::vector<int> expected;
    for (int value : values) {
        if (value > 0) expected.push_back(value);
    }
    std::sort(expected.begin(), expected.end());
    std::sort(filtered.begin(), filtered.end());
    int wrong = filtered == expected ? 0 : 1;
    wrong += check_rows<32>(values, d_values) + check_rows<16>(values, d_values) +
             check_rows<8>(values, d_values);
    cudaFree(d_values);
    cudaFree(d_filtered);
    cudaFree(d_count);
    printf("tiles: %d wrong\n", wrong);
    return wrong == 0 ? 0 : 1;
}
