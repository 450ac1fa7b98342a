// SPDX-License-Identifier: MIT
// Programs for test_sampling.py: the first argument chooses one. Each checks its own result.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

constexpr int kBlocks = 1000;
constexpr int kThreads = 64;
constexpr int kCount = kBlocks * kThreads;

__global__ void fill_kernel(int* out, int first, int left_out) {
    if (static_cast<int>(blockIdx.x) == left_out) return;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = first + i;
}

__global__ void copy_kernel(const int* in, int* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    memcpy(out + i, in + i, sizeof(int));
}

__global__ void fetch_kernel(cudaTextureObject_t texture, int* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tex1Dfetch<int>(texture, i);
}

// The block that comes last adds up what the others wrote.
__global__ void sum_kernel(const int* in, long long* sums, unsigned* ended, long long* sum) {
    __shared__ long long s_sum;
    __shared__ bool s_last;
    if (threadIdx.x == 0) s_sum = 0;
    __syncthreads();
    atomicAdd(reinterpret_cast<unsigned long long*>(&s_sum),
              static_cast<unsigned long long>(in[blockIdx.x * blockDim.x + threadIdx.x]));
    __syncthreads();
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = s_sum;
        __threadfence();
        s_last = atomicAdd(ended, 1u) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!s_last || threadIdx.x != 0) return;
    *sum = 0;
    for (int i = 0; i < static_cast<int>(gridDim.x); ++i) *sum += sums[i];
}

// Each block tells the next one that everything before it is written. The last block relies on what
// the first one wrote, and knows of it only by way of all others.
__global__ void chain_kernel(int* flags, int* data, int* seen) {
    if (threadIdx.x != 0) return;
    const int block = blockIdx.x;
    // The block before has started, perhaps on another core.
    while (block > 0 && atomicAdd(&flags[block - 1], 0) == 0) {
    }
    __threadfence();
    if (block == static_cast<int>(gridDim.x) - 1) *seen = data[0];
    data[block] = 7;
    __threadfence();
    atomicExch(&flags[block], 1);
}

// A barrier is missing, in one block or in all.
__global__ void racy_kernel(int* out, int racy_block) {
    __shared__ int s_values[kThreads];
    s_values[threadIdx.x] = threadIdx.x;
    if (racy_block >= 0 && static_cast<int>(blockIdx.x) != racy_block) __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = s_values[kThreads - 1 - threadIdx.x];
}

__global__ void endless_kernel(volatile int* out, int endless_block) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    while (static_cast<int>(blockIdx.x) == endless_block && out[blockIdx.x * blockDim.x] == 1) {
    }
}

__global__ void endless_barrier_kernel(volatile int* out, int endless_block) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    __syncthreads();
    while (static_cast<int>(blockIdx.x) == endless_block && out[blockIdx.x * blockDim.x] == 1) {
        __syncthreads();
    }
}

__global__ void runaway_kernel(int* out) {
    if (blockIdx.x == 1 && threadIdx.x == 0) {
        runaway_kernel<<<2, 1, 0, cudaStreamTailLaunch>>>(out);
    }
}

__global__ void add_kernel(int* sum) { atomicAdd(sum, 1); }

__global__ void loop_kernel(volatile int* sum) {
    for (int i = 0; i < 2000; ++i) sum[threadIdx.x] = sum[threadIdx.x] + i;
}

__global__ void launching_kernel(int* sum) {
    if (threadIdx.x == 0) add_kernel<<<1, kThreads>>>(sum);
}

bool failed = false;

void check(bool right, const char* what) {
    if (!right || cudaDeviceSynchronize() != cudaSuccess || cudaGetLastError() != cudaSuccess) {
        std::printf("wrong: %s\n", what);
        failed = true;
    }
}

template <class T>
T* allocate(int count, bool clear = true) {
    T* memory = nullptr;
    check(cudaMalloc(&memory, count * sizeof(T)) == cudaSuccess, "cudaMalloc");
    if (clear) check(cudaMemset(memory, 0, count * sizeof(T)) == cudaSuccess, "cudaMemset");
    return memory;
}

template <class T>
T first_of(const T* memory) {
    T value;
    check(cudaMemcpy(&value, memory, sizeof value, cudaMemcpyDeviceToHost) == cudaSuccess, "copy");
    return value;
}

void run_blocks() {
    int* a = allocate<int>(kCount, false);
    int* b = allocate<int>(kCount, false);
    fill_kernel<<<kBlocks, kThreads>>>(a, 1, -1);
    copy_kernel<<<kBlocks, kThreads>>>(a, b);
    std::vector<int> values(kCount);
    cudaMemcpy(values.data(), b, kCount * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < kCount; ++i) check(values[i] == i + 1, "values");
    cudaFree(a);
    cudaFree(b);
}

void run_texture() {
    int* a = allocate<int>(kCount, false);
    int* b = allocate<int>(kCount, false);
    fill_kernel<<<kBlocks, kThreads>>>(a, 1, -1);
    cudaResourceDesc memory{};
    memory.resType = cudaResourceTypeLinear;
    memory.res.linear.devPtr = a;
    memory.res.linear.desc = cudaCreateChannelDesc<int>();
    memory.res.linear.sizeInBytes = kCount * sizeof(int);
    const cudaTextureDesc description{};
    cudaTextureObject_t texture = 0;
    check(cudaCreateTextureObject(&texture, &memory, &description, nullptr) == cudaSuccess, "made");
    fetch_kernel<<<kBlocks, kThreads>>>(texture, b);
    check(first_of(b + kCount - 1) == kCount, "texture");
}

void run_unwritten() {
    int* a = allocate<int>(kCount, false);
    int* b = allocate<int>(kCount, false);
    fill_kernel<<<kBlocks, kThreads>>>(a, 1, kBlocks / 2);
    copy_kernel<<<1, kThreads>>>(a + kThreads * (kBlocks / 2), b);
    check(true, "unwritten");
}

void run_launches() {
    int* a = allocate<int>(kCount);
    for (int i = 0; i < 100; ++i) {
        fill_kernel<<<10, kThreads>>>(a, i, -1);
        check(first_of(a) == i, "launches");
    }
}

void run_sum() {
    int* a = allocate<int>(kCount);
    long long* sums = allocate<long long>(kBlocks + 1, false);
    unsigned* ended = allocate<unsigned>(1);
    for (int i = 0; i < 5; ++i) {
        cudaMemset(ended, 0, sizeof *ended);
        fill_kernel<<<kBlocks, kThreads>>>(a, 0, -1);
        sum_kernel<<<kBlocks, kThreads>>>(a, sums, ended, sums + kBlocks);
        check(first_of(sums + kBlocks) == (kCount - 1LL) * kCount / 2, "sum");
    }
}

void run_chain() {
    int* flags = allocate<int>(kBlocks);
    int* data = allocate<int>(kBlocks);
    int* seen = allocate<int>(1);
    chain_kernel<<<kBlocks, kThreads>>>(flags, data, seen);
    check(first_of(seen) == 7, "chain");
}

void run_racy(int block) {
    int* out = allocate<int>(kCount);
    racy_kernel<<<kBlocks, kThreads>>>(out, block);
    cudaDeviceSynchronize();
}

void run_endless() {
    int* out = allocate<int>(kCount);
    endless_kernel<<<kBlocks, kThreads>>>(out, kBlocks / 2);
    check(true, "endless");
}

void run_endless_barrier() {
    int* out = allocate<int>(kCount);
    endless_barrier_kernel<<<kBlocks, kThreads>>>(out, kBlocks / 2);
    check(true, "endless barrier");
}

void run_runaway() {
    int* out = allocate<int>(kCount);
    runaway_kernel<<<kBlocks, kThreads>>>(out);
    check(cudaDeviceSynchronize() == cudaSuccess, "runaway");
}

void run_launching() {
    int* sum = allocate<int>(1);
    constexpr int kRounds = 8;
    for (int i = 0; i < kRounds; ++i) launching_kernel<<<100, kThreads>>>(sum);
    check(cudaDeviceSynchronize() == cudaSuccess, "launching");
    check(first_of(sum) == kRounds * 100 * kThreads, "launching");
}

void run_atomics() {
    int* sum = allocate<int>(1);
    for (int i = 0; i < 20; ++i) add_kernel<<<kBlocks, kThreads>>>(sum);
    check(first_of(sum) == 20 * kCount, "atomics");
}

void run_loop() {
    int* sums = allocate<int>(kThreads);
    loop_kernel<<<1, kThreads>>>(sums);
    check(first_of(sums) == 1999 * 2000 / 2, "loop");
}

int main(int, char** argv) {
    const std::map<std::string, void (*)()> programs{
        {"blocks", run_blocks},
        {"texture", run_texture},
        {"unwritten", run_unwritten},
        {"launches", run_launches},
        {"sum", run_sum},
        {"chain", run_chain},
        {"race", [] { run_racy(-1); }},
        {"race-in-last-block", [] { run_racy(kBlocks - 1); }},
        {"race-in-a-block", [] { run_racy(kBlocks / 2 + 3); }},
        {"endless", run_endless},
        {"endless-barrier", run_endless_barrier},
        {"runaway", run_runaway},
        {"launching", run_launching},
        {"atomics", run_atomics},
        {"loop", run_loop},
    };
    programs.at(argv[1])();
    std::puts(failed ? "failed" : "right");
    return failed ? 1 : 0;
}
