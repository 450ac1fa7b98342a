// SPDX-License-Identifier: MIT
// Streams: pinned memory that is copied in chunks while other chunks compute, events that order two
// streams, a callback of the host, and mapped memory.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                        \
    do {                                                                                   \
        const cudaError_t error = (call);                                                  \
        if (error != cudaSuccess) {                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
            exit(1);                                                                       \
        }                                                                                  \
    } while (0)

__global__ void kernel(float* a, int offset) {
    int i = offset + threadIdx.x + blockIdx.x * blockDim.x;
    float x = (float)i;
    float s = sinf(x);
    float c = cosf(x);
    a[i] = a[i] + sqrtf(s * s + c * c);
}

__global__ void add_constant(const int* in, int* out, int count, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = in[i] + value;
}

__global__ void sum_chunk(const int* in, int count, int* total) {
    int sum = 0;
    for (int i = threadIdx.x; i < count; i += blockDim.x) sum += in[i];
    atomicAdd(total, sum);
}

float maxError(float* a, int n) {
    float maxE = 0;
    for (int i = 0; i < n; i++) {
        float error = fabsf(a[i] - 1.0f);
        if (!(error <= maxE)) maxE = error;
    }
    return maxE;
}

void CUDART_CB count_calls(void* data) { ++*(int*)data; }

int main() {
    const int blockSize = 256, nStreams = 4;
    const int n = 4 * 1024 * nStreams;
    const int streamSize = n / nStreams;
    const int streamBytes = streamSize * sizeof(float);
    float *a, *d_a;
    CHECK(cudaMallocHost((void**)&a, n * sizeof(float)));  // host pinned
    CHECK(cudaMalloc((void**)&d_a, n * sizeof(float)));
    cudaEvent_t startEvent, stopEvent;
    cudaStream_t stream[nStreams];
    CHECK(cudaEventCreate(&startEvent));
    CHECK(cudaEventCreate(&stopEvent));
    for (int i = 0; i < nStreams; ++i) CHECK(cudaStreamCreate(&stream[i]));

    // Asynchronous version 1: loop over {copy, kernel, copy}
    for (int i = 0; i < n; ++i) a[i] = 0;
    CHECK(cudaEventRecord(startEvent, 0));
    for (int i = 0; i < nStreams; ++i) {
        int offset = i * streamSize;
        CHECK(cudaMemcpyAsync(&d_a[offset], &a[offset], streamBytes, cudaMemcpyHostToDevice,
                              stream[i]));
        kernel<<<streamSize / blockSize, blockSize, 0, stream[i]>>>(d_a, offset);
        CHECK(cudaMemcpyAsync(&a[offset], &d_a[offset], streamBytes, cudaMemcpyDeviceToHost,
                              stream[i]));
    }
    CHECK(cudaEventRecord(stopEvent, 0));
    CHECK(cudaEventSynchronize(stopEvent));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, startEvent, stopEvent));
    bool right = ms >= 0 && maxError(a, n) < 1e-5f;

    // Asynchronous version 2: loop over copy, loop over kernel, loop over copy
    for (int i = 0; i < n; ++i) a[i] = 0;
    for (int i = 0; i < nStreams; ++i) {
        int offset = i * streamSize;
        CHECK(cudaMemcpyAsync(&d_a[offset], &a[offset], streamBytes, cudaMemcpyHostToDevice,
                              stream[i]));
    }
    for (int i = 0; i < nStreams; ++i) {
        int offset = i * streamSize;
        kernel<<<streamSize / blockSize, blockSize, 0, stream[i]>>>(d_a, offset);
    }
    for (int i = 0; i < nStreams; ++i) {
        int offset = i * streamSize;
        CHECK(cudaMemcpyAsync(&a[offset], &d_a[offset], streamBytes, cudaMemcpyDeviceToHost,
                              stream[i]));
    }
    CHECK(cudaDeviceSynchronize());
    right &= maxError(a, n) < 1e-5f;

    // One stream makes the data that another stream uses, which does not wait on its own. The total
    // is in mapped memory.
    const int count = 1000;
    int *numbers, *more, *total, *d_total, calls = 0;
    cudaStream_t producer, consumer;
    cudaEvent_t ready;
    CHECK(cudaStreamCreateWithFlags(&producer, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&consumer, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
    CHECK(cudaMalloc(&numbers, count * sizeof(int)));
    CHECK(cudaMalloc(&more, count * sizeof(int)));
    CHECK(cudaHostAlloc(&total, sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&d_total, total, 0));
    *total = 0;
    for (int round = 1; round <= 3; ++round) {
        CHECK(cudaMemsetAsync(numbers, 0, count * sizeof(int), producer));
        add_constant<<<4, 256, 0, producer>>>(numbers, more, count, round);
        CHECK(cudaEventRecord(ready, producer));
        CHECK(cudaStreamWaitEvent(consumer, ready, 0));
        sum_chunk<<<1, 128, 0, consumer>>>(more, count, d_total);
        CHECK(cudaLaunchHostFunc(consumer, count_calls, &calls));
        CHECK(cudaEventRecord(ready, consumer));
        CHECK(cudaStreamWaitEvent(producer, ready, 0));
    }
    CHECK(cudaStreamSynchronize(consumer));
    right &= *total == 6 * count && calls == 3 && cudaStreamQuery(consumer) == cudaSuccess;

    CHECK(cudaStreamDestroy(producer));
    CHECK(cudaStreamDestroy(consumer));
    CHECK(cudaEventDestroy(ready));
    CHECK(cudaFree(numbers));
    CHECK(cudaFree(more));
    CHECK(cudaFreeHost(total));
    CHECK(cudaEventDestroy(startEvent));
    CHECK(cudaEventDestroy(stopEvent));
    for (int i = 0; i < nStreams; ++i) CHECK(cudaStreamDestroy(stream[i]));
    cudaFree(d_a);
    cudaFreeHost(a);
    printf("streams: %s\n", right ? "right" : "wrong");
    return right ? 0 : 1;
}
