// SPDX-License-Identifier: MIT
// The device heap: kernels allocate with new and malloc(), keep the memory from launch to launch,
// and free it. The heap's size is a limit that the host sets.
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

// Open hashing: each bucket is a list of nodes on the heap.
struct Node {
    __device__ Node(int its_key, Node* its_next) : key(its_key), next(its_next) {}
    int key;
    int count = 1;
    Node* next;
};

__global__ void insert_keys(const int* keys, int n, Node** buckets, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Node** const bucket = &buckets[keys[i] % count];
    Node* const node = new Node(keys[i], nullptr);
    unsigned long long old = 0, seen;  // the first guess: the bucket is empty
    do {
        seen = old;
        node->next = (Node*)seen;
        __threadfence();
        old = atomicCAS((unsigned long long*)bucket, seen, (unsigned long long)node);
    } while (old != seen);
}

__global__ void count_keys(Node** buckets, int count, int* sums, int* lengths) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    sums[i] = lengths[i] = 0;
    for (const Node* node = buckets[i]; node != nullptr; node = node->next) {
        sums[i] += node->key;
        lengths[i] += node->count;
    }
}

__global__ void delete_keys(Node** buckets, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    for (Node *node = buckets[i], *next; node != nullptr; node = next) {
        next = node->next;
        delete node;
    }
    buckets[i] = nullptr;
}

// One buffer per block, allocated by its first thread and used by all.
__global__ void reverse_blocks(const int* in, int* out, int n) {
    __shared__ int* s_buffer;
    if (threadIdx.x == 0) s_buffer = (int*)malloc(blockDim.x * sizeof(int));
    __syncthreads();
    if (s_buffer == nullptr) return;
    const int first = blockIdx.x * blockDim.x;
    const int last = min(n - first, (int)blockDim.x) - 1;
    if (threadIdx.x <= last) s_buffer[threadIdx.x] = in[first + threadIdx.x];
    __syncthreads();
    if (threadIdx.x <= last) out[first + threadIdx.x] = s_buffer[last - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) free(s_buffer);
}

// Structures with arrays in them, some larger than others; delete of a null pointer is allowed.
struct Shape {
    __device__ virtual ~Shape() {}
    __device__ virtual int area() const = 0;
};
struct Square : Shape {
    __device__ explicit Square(int its_side) : side(its_side) {}
    __device__ int area() const override { return side * side; }
    int side;
};
struct Staircase : Shape {
    __device__ explicit Staircase(int its_steps) : steps(its_steps), heights(new int[its_steps]) {
        for (int i = 0; i < steps; ++i) heights[i] = i + 1;
    }
    __device__ ~Staircase() override { delete[] heights; }
    __device__ int area() const override {
        int sum = 0;
        for (int i = 0; i < steps; ++i) sum += heights[i];
        return sum;
    }
    int steps;
    int* heights;
};

__global__ void areas(int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Shape* shape = nullptr;
    delete shape;
    if (i % 2 == 0) {
        shape = new Square(i);
    } else {
        shape = new Staircase(i);
    }
    out[i] = shape->area();
    delete shape;
}

// More than the heap has: malloc() returns a null pointer, and the kernel goes on.
__global__ void fill_heap(int* taken, size_t bytes, int most) {
    char* pieces[64];
    int count = 0;
    while (count < most && (pieces[count] = (char*)malloc(bytes)) != nullptr) ++count;
    *taken = count;
    for (int i = 0; i < count; ++i) {
        pieces[i][0] = pieces[i][bytes - 1] = (char)i;
        free(pieces[i]);
    }
}

bool check(bool right, const char* what) {
    if (!right) fprintf(stderr, "%s is wrong\n", what);
    return right;
}

int main() {
    const size_t heap_bytes = 16 << 20;
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, heap_bytes));
    size_t limit = 0;
    CHECK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    bool right = check(limit >= heap_bytes, "the heap's size");

    const int n = 3000, buckets = 97;
    std::vector<int> keys(n), sums(buckets), lengths(buckets), out(n);
    for (int i = 0; i < n; ++i) keys[i] = (i * 7919) % 10007;
    int *d_keys, *d_sums, *d_lengths, *d_out;
    Node** d_buckets;
    CHECK(cudaMalloc(&d_keys, n * sizeof(int)));
    CHECK(cudaMalloc(&d_out, n * sizeof(int)));
    CHECK(cudaMalloc(&d_sums, buckets * sizeof(int)));
    CHECK(cudaMalloc(&d_lengths, buckets * sizeof(int)));
    CHECK(cudaMalloc(&d_buckets, buckets * sizeof(Node*)));
    CHECK(cudaMemset(d_buckets, 0, buckets * sizeof(Node*)));
    CHECK(cudaMemcpy(d_keys, keys.data(), n * sizeof(int), cudaMemcpyHostToDevice));

    insert_keys<<<(n + 127) / 128, 128>>>(d_keys, n, d_buckets, buckets);
    count_keys<<<1, 128>>>(d_buckets, buckets, d_sums, d_lengths);
    delete_keys<<<1, 128>>>(d_buckets, buckets);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sums.data(), d_sums, buckets * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(lengths.data(), d_lengths, buckets * sizeof(int), cudaMemcpyDeviceToHost));
    for (const int key : keys) {
        sums[key % buckets] -= key;
        lengths[key % buckets] -= 1;
    }
    for (int i = 0; i < buckets; ++i) {
        right &= check(sums[i] == 0 && lengths[i] == 0, "a bucket");
    }

    reverse_blocks<<<(n + 255) / 256, 256>>>(d_keys, d_out, n);
    CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) {
        const int first = i / 256 * 256, last = std::min(n, first + 256) - 1;
        right &= check(out[i] == keys[last - (i - first)], "a reversed block");
    }

    areas<<<1, 100>>>(d_out, 100);
    CHECK(cudaMemcpy(out.data(), d_out, 100 * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 100; ++i) {
        right &= check(out[i] == (i % 2 == 0 ? i * i : i * (i + 1) / 2), "an area");
    }

    // The pieces of the first launch are free again for the second one.
    for (int launch = 0; launch < 2; ++launch) {
        int taken = 0;
        fill_heap<<<1, 1>>>(d_out, 1 << 20, 64);
        CHECK(cudaMemcpy(&taken, d_out, sizeof(int), cudaMemcpyDeviceToHost));
        right &= check(taken >= 12 && taken <= 32, "the number of pieces");
    }

    CHECK(cudaFree(d_keys));
    CHECK(cudaFree(d_out));
    CHECK(cudaFree(d_sums));
    CHECK(cudaFree(d_lengths));
    CHECK(cudaFree(d_buckets));
    printf("%s\n", right ? "right" : "wrong");
    return right ? 0 : 1;
}
