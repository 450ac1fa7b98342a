// SPDX-License-Identifier: MIT
// What programs build from atomicCAS(): a sum of doubles, a maximum of floats, and a list to which
// every thread pushes without locks.
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

// As in the programming guide, for devices below 6.0.
__device__ double atomicAddDouble(double* address, double val) {
    unsigned long long int* address_as_ull = (unsigned long long int*)address;
    unsigned long long int old = *address_as_ull, assumed;
    do {
        assumed = old;
        old = atomicCAS(address_as_ull, assumed,
                        __double_as_longlong(val + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}

__device__ __forceinline__ float atomicMaxFloat(float* address, float val) {
    int* address_as_int = (int*)address;
    int old = *address_as_int, assumed;
    do {
        assumed = old;
        old =
            atomicCAS(address_as_int, assumed, __float_as_int(fmaxf(val, __int_as_float(assumed))));
    } while (assumed != old);
    return __int_as_float(old);
}

__global__ void sum_and_maximum(const double* values, int count, double* sum, float* maximum) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        atomicAddDouble(sum, values[i]);
        atomicMaxFloat(maximum, (float)values[i]);
    }
}

struct Node {
    int value;
    int next;
};

// Each thread takes a node of the pool and pushes it to the front of its bucket's list.
__global__ void push(Node* pool, unsigned int* used, int* heads, int buckets, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    int node = atomicAdd(used, 1);
    pool[node].value = i;
    int* head = &heads[i % buckets];
    int first = *(volatile int*)head;
    int seen;
    do {
        seen = first;
        pool[node].next = seen;
        __threadfence();
        first = atomicCAS(head, seen, node);
    } while (first != seen);
}

int main() {
    const int n = 2000, buckets = 7;
    std::vector<double> values(n);
    double expected = 0;
    for (double& value : values) expected += value = rand() % 1000 / 8.0;
    double *d_values, *d_sum;
    float* d_maximum;
    CHECK(cudaMalloc(&d_values, n * sizeof(double)));
    CHECK(cudaMalloc(&d_sum, sizeof(double)));
    CHECK(cudaMalloc(&d_maximum, sizeof(float)));
    CHECK(cudaMemcpy(d_values, values.data(), n * sizeof(double), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_sum, 0, sizeof(double)));
    CHECK(cudaMemset(d_maximum, 0, sizeof(float)));
    sum_and_maximum<<<(n + 127) / 128, 128>>>(d_values, n, d_sum, d_maximum);
    double sum;
    float maximum;
    CHECK(cudaMemcpy(&sum, d_sum, sizeof(sum), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&maximum, d_maximum, sizeof(maximum), cudaMemcpyDeviceToHost));
    bool right =
        sum == expected && maximum == (float)*std::max_element(values.begin(), values.end());

    Node* d_pool;
    unsigned int* d_used;
    int* d_heads;
    CHECK(cudaMalloc(&d_pool, n * sizeof(Node)));
    CHECK(cudaMalloc(&d_used, sizeof(unsigned int)));
    CHECK(cudaMalloc(&d_heads, buckets * sizeof(int)));
    CHECK(cudaMemset(d_used, 0, sizeof(unsigned int)));
    CHECK(cudaMemset(d_heads, 0xff, buckets * sizeof(int)));  // -1: no node
    push<<<(n + 63) / 64, 64>>>(d_pool, d_used, d_heads, buckets, n);
    std::vector<Node> pool(n);
    std::vector<int> heads(buckets);
    CHECK(cudaMemcpy(pool.data(), d_pool, n * sizeof(Node), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(heads.data(), d_heads, buckets * sizeof(int), cudaMemcpyDeviceToHost));
    std::vector<int> found(n, 0);
    for (int bucket = 0; bucket < buckets; ++bucket) {
        int steps = 0;
        for (int node = heads[bucket]; node >= 0 && steps <= n; node = pool[node].next, ++steps) {
            const int value = pool[node].value;
            right &= value >= 0 && value < n && value % buckets == bucket;
            if (right) ++found[value];
        }
    }
    right &= std::count(found.begin(), found.end(), 1) == n;
    for (void* pointer : {(void*)d_values, (void*)d_sum, (void*)d_maximum, (void*)d_pool,
                          (void*)d_used, (void*)d_heads})
        CHECK(cudaFree(pointer));
    printf("compare_and_swap: %s\n", right ? "right" : "wrong");
    return right ? 0 : 1;
}
