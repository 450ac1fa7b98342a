// SPDX-License-Identifier: MIT
// Kernels that launch kernels: NVIDIA's simple quicksort, and a recursion that adds up a tree.
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

#define MAX_DEPTH 16
#define INSERTION_SORT 32

__device__ void selection_sort(unsigned int* data, int left, int right) {
    for (int i = left; i <= right; ++i) {
        unsigned min_val = data[i];
        int min_idx = i;
        for (int j = i + 1; j <= right; ++j) {
            unsigned val_j = data[j];
            if (val_j < min_val) {
                min_idx = j;
                min_val = val_j;
            }
        }
        if (i != min_idx) {
            data[min_idx] = data[i];
            data[i] = min_val;
        }
    }
}

__global__ void cdp_simple_quicksort(unsigned int* data, int left, int right, int depth) {
    // If we're too deep or there are few elements left, we use a selection sort...
    if (depth >= MAX_DEPTH || right - left <= INSERTION_SORT) {
        selection_sort(data, left, right);
        return;
    }
    unsigned int* lptr = data + left;
    unsigned int* rptr = data + right;
    unsigned int pivot = data[(left + right) / 2];
    while (lptr <= rptr) {
        unsigned int lval = *lptr;
        unsigned int rval = *rptr;
        while (lval < pivot) {
            lptr++;
            lval = *lptr;
        }
        while (rval > pivot) {
            rptr--;
            rval = *rptr;
        }
        if (lptr <= rptr) {
            *lptr++ = rval;
            *rptr-- = lval;
        }
    }
    int nright = rptr - data;
    int nleft = lptr - data;
    if (left < (rptr - data)) {
        cudaStream_t s;
        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
        cdp_simple_quicksort<<<1, 1, 0, s>>>(data, left, nright, depth + 1);
        cudaStreamDestroy(s);
    }
    if ((lptr - data) < right) {
        cudaStream_t s1;
        cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking);
        cdp_simple_quicksort<<<1, 1, 0, s1>>>(data, nleft, right, depth + 1);
        cudaStreamDestroy(s1);
    }
}

__global__ void count_down(int depth, int* leaves) {
    if (depth == 0) {
        atomicAdd(leaves, 1);
        return;
    }
    if (threadIdx.x < 2) count_down<<<1, 4>>>(depth - 1, leaves);
}

__global__ void finish(const int* leaves, int* result) { *result = *leaves * 10; }

__global__ void start(int* leaves, int* result) {
    count_down<<<1, 4>>>(3, leaves);
    finish<<<1, 1, 0, cudaStreamTailLaunch>>>(leaves, result);
}

int main() {
    const int n = 1500;
    std::vector<unsigned int> data(n), sorted(n);
    for (unsigned int& value : data) value = rand() % 1000;
    unsigned int* d_data;
    CHECK(cudaMalloc((void**)&d_data, n * sizeof(unsigned int)));
    CHECK(cudaMemcpy(d_data, data.data(), n * sizeof(unsigned int), cudaMemcpyHostToDevice));
    cdp_simple_quicksort<<<1, 1>>>(d_data, 0, n - 1, 0);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(sorted.data(), d_data, n * sizeof(unsigned int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_data));
    std::sort(data.begin(), data.end());
    bool right = data == sorted;

    int *d_numbers, numbers[2] = {0, 0};
    CHECK(cudaMalloc(&d_numbers, sizeof(numbers)));
    CHECK(cudaMemset(d_numbers, 0, sizeof(numbers)));
    start<<<1, 1>>>(d_numbers, d_numbers + 1);
    CHECK(cudaMemcpy(numbers, d_numbers, sizeof(numbers), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_numbers));
    // Two of the four threads launch, three times, and four threads reach the end.
    right &= numbers[0] == 2 * 2 * 2 * 4 && numbers[1] == 320;
    printf("dynamic_parallelism: %s\n", right ? "right" : "wrong");
    return right ? 0 : 1;
}
