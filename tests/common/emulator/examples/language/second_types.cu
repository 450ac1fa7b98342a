// SPDX-License-Identifier: MIT
// The same bytes under a second type, as kernels write it everywhere: nvcc does not use the strict
// aliasing rule of C++.
#include <cuda_fp16.h>

#include <cstdio>
#include <cstring>
#include <vector>

constexpr int kThreads = 64;

#define WHOLE(value) (reinterpret_cast<float4*>(&(value))[0])

// Eight half values move as one float4, and are added in pairs.
__global__ void double_halves_kernel(const half* in, half* out) {
    float4 from = reinterpret_cast<const float4*>(in)[threadIdx.x];
    float4 to;
    const half2* pairs = reinterpret_cast<half2*>(&from);
    half2* sums = reinterpret_cast<half2*>(&to);
    for (int i = 0; i < 4; ++i) sums[i] = __hadd2(pairs[i], pairs[i]);
    reinterpret_cast<float4*>(out)[threadIdx.x] = to;
}

// A macro loads and stores 128 bits of an array, whatever its type.
__global__ void add_ints_kernel(int* in, int* out) {
    int values[4];
    WHOLE(values[0]) = WHOLE(in[4 * threadIdx.x]);
    for (int i = 0; i < 4; ++i) values[i] += 1;
    int results[4] = {values[3], values[2], values[1], values[0]};
    WHOLE(out[4 * threadIdx.x]) = WHOLE(results[0]);
}

// Shared memory holds floats, then integers.
__global__ void reuse_shared_kernel(const float* in, int* out) {
    __shared__ float s_values[2 * kThreads];
    int* s_counts = reinterpret_cast<int*>(s_values);
    s_values[threadIdx.x] = in[threadIdx.x];
    const int before = s_counts[threadIdx.x];
    s_counts[threadIdx.x] = before ^ static_cast<int>(threadIdx.x);
    const float after = s_values[threadIdx.x];
    s_values[kThreads + threadIdx.x] = after;
    out[threadIdx.x] = s_counts[kThreads + threadIdx.x] ^ s_counts[threadIdx.x] ^ before;
}

// Bits of a float as an integer, and words of a double.
__global__ void take_bits_kernel(const float* in, unsigned* out) {
    float value = in[threadIdx.x];
    unsigned& bits = *reinterpret_cast<unsigned*>(&value);
    bits ^= 0x80000000u;
    double wide = value;
    unsigned* words = reinterpret_cast<unsigned*>(&wide);
    words[1] ^= 0x80000000u;
    out[threadIdx.x] = wide == in[threadIdx.x] ? bits : 0;
}

// The compiler sees one array that is written under two types, in a loop.
__global__ void alternate_kernel(short* words, int n) {
    int* pairs = reinterpret_cast<int*>(words);
    for (int i = 0; i < n; ++i) {
        pairs[threadIdx.x] = i;
        words[2 * threadIdx.x] += 1;
        pairs[threadIdx.x] += words[2 * threadIdx.x];
    }
}

template <class T>
T* copy_to_device(const std::vector<T>& values) {
    T* pointer;
    cudaMalloc(&pointer, values.size() * sizeof(T));
    cudaMemcpy(pointer, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
    return pointer;
}

template <class T>
std::vector<T> copy_back(T* pointer, int n) {
    std::vector<T> values(n);
    cudaMemcpy(values.data(), pointer, n * sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(pointer);
    return values;
}

int wrong = 0;

void expect(bool is_right, const char* what, int i) {
    if (is_right) return;
    if (++wrong <= 5) std::printf("%s: element %d is wrong\n", what, i);
}

int main() {
    std::vector<half> halves(8 * kThreads);
    for (int i = 0; i < 8 * kThreads; ++i) halves[i] = __float2half(i);
    half* d_halves = copy_to_device(halves);
    half* d_doubled = copy_to_device(std::vector<half>(8 * kThreads));
    double_halves_kernel<<<1, kThreads>>>(d_halves, d_doubled);
    cudaFree(d_halves);
    halves = copy_back(d_doubled, 8 * kThreads);
    for (int i = 0; i < 8 * kThreads; ++i) {
        expect(__half2float(halves[i]) == 2 * i, "double_halves", i);
    }

    std::vector<int> ints(4 * kThreads);
    for (int i = 0; i < 4 * kThreads; ++i) ints[i] = i;
    int* d_ints = copy_to_device(ints);
    int* d_sums = copy_to_device(std::vector<int>(4 * kThreads));
    add_ints_kernel<<<1, kThreads>>>(d_ints, d_sums);
    cudaFree(d_ints);
    ints = copy_back(d_sums, 4 * kThreads);
    for (int i = 0; i < 4 * kThreads; ++i) expect(ints[i] == (i ^ 3) + 1, "add_ints", i);

    std::vector<float> floats(kThreads);
    std::vector<unsigned> bits(kThreads);
    for (int i = 0; i < kThreads; ++i) floats[i] = 1.5f * i + 1;
    std::memcpy(bits.data(), floats.data(), sizeof(float) * kThreads);
    float* d_floats = copy_to_device(floats);
    int* d_counts = copy_to_device(std::vector<int>(kThreads));
    unsigned* d_bits = copy_to_device(std::vector<unsigned>(kThreads));
    reuse_shared_kernel<<<1, kThreads>>>(d_floats, d_counts);
    take_bits_kernel<<<1, kThreads>>>(d_floats, d_bits);
    cudaFree(d_floats);
    const std::vector<int> counts = copy_back(d_counts, kThreads);
    const std::vector<unsigned> negated = copy_back(d_bits, kThreads);
    for (int i = 0; i < kThreads; ++i) {
        expect(static_cast<unsigned>(counts[i]) == bits[i], "reuse_shared", i);
        expect(negated[i] == (bits[i] ^ 0x80000000u), "take_bits", i);
    }

    short* d_words = copy_to_device(std::vector<short>(2 * kThreads));
    alternate_kernel<<<1, kThreads>>>(d_words, 10);
    const std::vector<short> words = copy_back(d_words, 2 * kThreads);
    for (int i = 0; i < kThreads; ++i) expect(words[2 * i] == 20, "alternate", i);

    std::printf("%d wrong, %s\n", wrong, cudaGetErrorString(cudaGetLastError()));
    return wrong != 0;
}
