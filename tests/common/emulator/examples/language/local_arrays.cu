// SPDX-License-Identifier: MIT
// Arrays of a thread's own in all the ways that they are declared and used, and kernels at the
// limits of what they promise: the largest block, values that are read and then replaced.
#include <cstdio>
#include <vector>

constexpr int kThreads = 128;
__constant__ int c_order[4] = {3, 1, 2, 0};

struct Pair {
    int values[2];
    int first[1];  // and those that follow it in memory
};

__device__ __noinline__ int sum_of(const int* begin, const int* end) {
    int sum = 0;
    for (const int* value = begin; value != &end[0]; ++value) sum += *value;
    return sum;
}

template <class T, int kCount>
__device__ T reversed(const T (&in)[kCount], int i) {
    T turned[kCount];
    for (int k = 0; k < kCount; ++k) turned[kCount - 1 - k] = in[k];
    return turned[i];
}

__global__ void __launch_bounds__(kThreads) collect_kernel(int* values) {
    int n = 4, own[4] = {1, 2, 3, 4}, *next = own;
    [[maybe_unused]] const unsigned char small[] = {7, 8, 9};
    __align__(16) float rows[2][3];
    int table[2][2] = {{1, 2}, {3, 4}};
    Pair pair = {{5, 6}, {7}};
    const int t = threadIdx.x;
    for (int row = 0; row < 2; ++row)
        for (int column = 0; column < 3; ++column) rows[row][column] = 3 * row + column;
    auto add = [&](int i) { return own[i] + table[i / 2][i % 2]; };
    int total = sum_of(own, &own[4]) + sum_of(own, own + n) + next[c_order[t % 4]];
    for (int i = 0; i < n; ++i) total += add(i) * own[c_order[i]];
    total += small[t % 3] + static_cast<int>(rows[1][2] + rows[t % 6 / 3][t % 3]) +
             pair.values[t % 2] + pair.first[0];
    total += reversed(own, t % 4) + static_cast<int>(sizeof(own) / sizeof(own[0]));
    values[t] = __ldg(&values[t]) + total;  // read before it is replaced
}

int expected(int t) {
    const int own[4] = {1, 2, 3, 4}, order[4] = {3, 1, 2, 0}, small[3] = {7, 8, 9};
    int total = 20 + own[order[t % 4]];
    for (int i = 0; i < 4; ++i) total += (own[i] + i + 1) * own[order[i]];
    return total + small[t % 3] + 5 + t % 6 + 5 + t % 2 + 7 + own[3 - t % 4] + 4;
}

int main() {
    int* d_values;
    std::vector<int> values(kThreads, 100);
    const size_t bytes = kThreads * sizeof(int);
    cudaMalloc(&d_values, bytes);
    cudaMemcpy(d_values, values.data(), bytes, cudaMemcpyHostToDevice);
    collect_kernel<<<1, kThreads>>>(d_values);
    cudaMemcpy(values.data(), d_values, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_values);
    for (int t = 0; t < kThreads; ++t) {
        if (values[t] == 100 + expected(t)) continue;
        printf("thread %d: %d, not %d\n", t, values[t], 100 + expected(t));
        return 1;
    }
    printf("right\n");
    return 0;
}
