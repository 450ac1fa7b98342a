// SPDX-License-Identifier: MIT
// A cooperative grid: odd-even transposition sort. All blocks meet at grid.sync() in each round.
#include <cooperative_groups.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
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

__global__ void odd_even_sort(int* values, int count, int* rounds) {
    cg::grid_group grid = cg::this_grid();
    for (int round = 0; round < count; ++round) {
        for (int i = 2 * grid.thread_rank() + round % 2; i + 1 < count; i += 2 * grid.size()) {
            if (values[i] > values[i + 1]) {
                int swap = values[i];
                values[i] = values[i + 1];
                values[i + 1] = swap;
            }
        }
        grid.sync();
    }
    if (grid.thread_rank() == 0) *rounds = count;
}

// Sum of squares in two phases of one kernel. Between them, each block's part is in global memory.
__global__ void two_phase_sum(const int* values, int count, long long* partial, long long* total) {
    extern __shared__ long long s_sums[];
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    long long sum = 0;
    for (int i = grid.thread_rank(); i < count; i += grid.size())
        sum += (long long)values[i] * values[i];
    s_sums[block.thread_rank()] = sum;
    block.sync();
    for (int active = block.size() / 2; active > 0; active /= 2) {
        if (block.thread_rank() < active)
            s_sums[block.thread_rank()] += s_sums[block.thread_rank() + active];
        block.sync();
    }
    if (block.thread_rank() == 0) partial[blockIdx.x] = s_sums[0];
    cg::sync(grid);
    if (grid.thread_rank() == 0) {
        *total = 0;
        for (int i = 0; i < gridDim.x; ++i) *total += partial[i];
    }
}

int main() {
    int device = 0, supported = 0, blocks_per_sm = 0;
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, device));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm, odd_even_sort, 32, 0));
    if (!supported || blocks_per_sm < 1) return 77;

    int count = 301;
    std::vector<int> values(count), sorted(count);
    long long expected = 0;
    for (int& value : values) {
        value = rand() % 500 - 250;
        expected += (long long)value * value;
    }
    int *d_values, *d_rounds, rounds = 0;
    long long *d_partial, *d_total, total = 0;
    CHECK(cudaMalloc(&d_values, count * sizeof(int)));
    CHECK(cudaMalloc(&d_rounds, sizeof(int)));
    CHECK(cudaMalloc(&d_partial, 4 * sizeof(long long)));
    CHECK(cudaMalloc(&d_total, sizeof(long long)));
    CHECK(cudaMemcpy(d_values, values.data(), count * sizeof(int), cudaMemcpyHostToDevice));

    void* sum_args[] = {&d_values, &count, &d_partial, &d_total};
    CHECK(cudaLaunchCooperativeKernel((void*)two_phase_sum, dim3(4), dim3(64), sum_args,
                                      64 * sizeof(long long), 0));
    void* sort_args[] = {&d_values, &count, &d_rounds};
    CHECK(cudaLaunchCooperativeKernel((void*)odd_even_sort, 3, 32, sort_args));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(sorted.data(), d_values, count * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&rounds, d_rounds, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&total, d_total, sizeof(total), cudaMemcpyDeviceToHost));
    cudaFree(d_values);
    cudaFree(d_rounds);
    cudaFree(d_partial);
    cudaFree(d_total);
    std::sort(values.begin(), values.end());
    const bool right = sorted == values && rounds == count && total == expected;
    printf("odd_even_sort: %s\n", right ? "right" : "wrong");
    return right ? 0 : 1;
}
