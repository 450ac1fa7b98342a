// SPDX-License-Identifier: MIT
// Managed memory: a class whose operator new allocates it, nested structures that host and kernels
// change, and a __managed__ variable.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(call)                                                                        \
    do {                                                                                   \
        const cudaError_t error = (call);                                                  \
        if (error != cudaSuccess) {                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
            exit(1);                                                                       \
        }                                                                                  \
    } while (0)

class Managed {
  public:
    void* operator new(size_t len) {
        void* ptr;
        CHECK(cudaMallocManaged(&ptr, len));
        CHECK(cudaDeviceSynchronize());
        return ptr;
    }
    void operator delete(void* ptr) {
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaFree(ptr));
    }
};

class String : public Managed {
    int length;
    char* data;

  public:
    String() : length(0), data(0) {}
    String(const String&) = delete;
    String& operator=(const char* s) {
        length = (int)strlen(s);
        CHECK(cudaFree(data));
        CHECK(cudaMallocManaged(&data, length + 1));
        memcpy(data, s, length + 1);
        return *this;
    }
    ~String() { cudaFree(data); }
    __host__ __device__ int size() const { return length; }
    __host__ __device__ char* c_str() const { return data; }
    __host__ __device__ char& operator[](int pos) { return data[pos]; }
};

struct DataElement : public Managed {
    String name;
    int value;
};

struct ListNode : public Managed {
    int key;
    ListNode* next;
};

__device__ __managed__ int longest = 0;

__global__ void rename(DataElement* elem) {
    int i = threadIdx.x;
    if (i < elem->name.size()) {
        char c = elem->name[i];
        if (c >= 'a' && c <= 'z') elem->name[i] = c - 'a' + 'A';
    }
    if (i == 0) {
        elem->value++;
        longest = elem->name.size();
    }
}

__global__ void sum_list(const ListNode* head, int* result) {
    int sum = 0;
    for (const ListNode* node = head; node != nullptr; node = node->next) sum += node->key;
    *result = sum;
}

__global__ void increment(ListNode** nodes, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) nodes[i]->key += 1;
}

int main() {
    DataElement* e = new DataElement;
    e->value = 10;
    e->name = "hello, managed world";
    rename<<<1, 32>>>(e);
    CHECK(cudaDeviceSynchronize());
    bool right =
        strcmp(e->name.c_str(), "HELLO, MANAGED WORLD") == 0 && e->value == 11 && longest == 20;
    e->name = "again";
    longest = -1;
    rename<<<1, 32>>>(e);
    CHECK(cudaDeviceSynchronize());
    right &= strcmp(e->name.c_str(), "AGAIN") == 0 && e->value == 12 && longest == 5;
    delete e;

    const int count = 100;
    ListNode **nodes, *head = nullptr;
    int* result;
    CHECK(cudaMallocManaged(&nodes, count * sizeof(ListNode*)));
    CHECK(cudaMallocManaged(&result, sizeof(int)));
    for (int i = 0; i < count; ++i) {
        nodes[i] = new ListNode;
        nodes[i]->key = i;
        nodes[i]->next = head;
        head = nodes[i];
    }
    increment<<<4, 32>>>(nodes, count);
    sum_list<<<1, 1>>>(head, result);
    CHECK(cudaDeviceSynchronize());
    right &= *result == count * (count + 1) / 2;
    for (int i = 0; i < count; ++i) delete nodes[i];
    CHECK(cudaFree(nodes));
    CHECK(cudaFree(result));
    printf("managed_memory: %s\n", right ? "right" : "wrong");
    return right ? 0 : 1;
}
