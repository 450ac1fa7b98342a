// SPDX-License-Identifier: MIT
// Hamming distances and bit tricks: __ldg, __popc, __clz, __ffs, __brev and their 64-bit forms.
#include <bitset>
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

// Distances of each query to each fingerprint of 256 bits.
__global__ void hamming(const uint4* __restrict__ queries, const uint4* __restrict__ prints,
                        int count, int* __restrict__ distances) {
    const int query = blockIdx.y;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        int distance = 0;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const uint4 a = __ldg(&queries[2 * query + half]);
            const uint4 b = __ldg(prints + 2 * i + half);
            distance +=
                __popc(a.x ^ b.x) + __popc(a.y ^ b.y) + __popc(a.z ^ b.z) + __popc(a.w ^ b.w);
        }
        distances[query * count + i] = distance;
    }
}

struct Bits {
    int ones, leading, lowest, wide_ones, wide_leading, wide_lowest;
    unsigned int reversed, rotated, bytes;
};

__global__ void bit_tricks(const unsigned int* words, Bits* bits, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const unsigned int word = words[i];
    const unsigned long long wide = (unsigned long long)word << 13;
    Bits result;
    result.ones = __popc(word);
    result.leading = __clz(word);
    result.lowest = __ffs(word);
    result.wide_ones = __popcll(wide);
    result.wide_leading = __clzll(wide);
    result.wide_lowest = __ffsll(wide);
    result.reversed = __brev(word);
    result.rotated = __funnelshift_l(word, word, 5);
    result.bytes = __byte_perm(word, 0, 0x0123);
    bits[i] = result;
}

int main() {
    const int queries = 3, count = 300;
    std::vector<unsigned int> words(8 * (queries + count));
    for (unsigned int& word : words) word = (unsigned)rand() << 17 ^ (unsigned)rand();
    words[5] = 0;
    words[6] = ~0u;
    unsigned int* d_words;
    int* d_distances;
    Bits* d_bits;
    CHECK(cudaMalloc(&d_words, words.size() * sizeof(unsigned int)));
    CHECK(cudaMalloc(&d_distances, queries * count * sizeof(int)));
    CHECK(cudaMalloc(&d_bits, words.size() * sizeof(Bits)));
    CHECK(cudaMemcpy(d_words, words.data(), words.size() * sizeof(unsigned int),
                     cudaMemcpyHostToDevice));
    hamming<<<dim3(2, queries), 64>>>(reinterpret_cast<uint4*>(d_words),
                                      reinterpret_cast<uint4*>(d_words + 8 * queries), count,
                                      d_distances);
    bit_tricks<<<((int)words.size() + 127) / 128, 128>>>(d_words, d_bits, (int)words.size());
    std::vector<int> distances(queries * count);
    std::vector<Bits> bits(words.size());
    CHECK(cudaMemcpy(distances.data(), d_distances, distances.size() * sizeof(int),
                     cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(bits.data(), d_bits, bits.size() * sizeof(Bits), cudaMemcpyDeviceToHost));
    cudaFree(d_words);
    cudaFree(d_distances);
    cudaFree(d_bits);

    int wrong = 0;
    for (int q = 0; q < queries; ++q) {
        for (int i = 0; i < count; ++i) {
            size_t distance = 0;
            for (int w = 0; w < 8; ++w)
                distance += (std::bitset<32>(words[8 * q + w]) ^
                             std::bitset<32>(words[8 * (queries + i) + w]))
                                .count();
            wrong += distances[q * count + i] != (int)distance;
        }
    }
    for (size_t i = 0; i < words.size(); ++i) {
        const std::bitset<32> word(words[i]);
        int lowest = 0, leading = 32;
        for (int bit = 31; bit >= 0; --bit) {
            if (word[bit]) lowest = bit + 1;
        }
        for (int bit = 0; bit < 32; ++bit) {
            if (word[bit]) leading = 31 - bit;
        }
        std::bitset<32> reversed, rotated;
        for (int bit = 0; bit < 32; ++bit) {
            reversed[31 - bit] = word[bit];
            rotated[(bit + 5) % 32] = word[bit];
        }
        unsigned int swapped = 0;
        for (int byte = 0; byte < 4; ++byte) swapped = swapped << 8 | (words[i] >> 8 * byte & 255);
        const Bits& got = bits[i];
        wrong += got.ones != (int)word.count() || got.leading != leading || got.lowest != lowest;
        wrong += got.wide_ones != got.ones || got.wide_lowest != (lowest ? lowest + 13 : 0);
        wrong += got.wide_leading != (lowest ? leading + 19 : 64);
        wrong += got.reversed != reversed.to_ulong() || got.rotated != rotated.to_ulong();
        wrong += got.bytes != swapped;
    }
    printf("bits: %d wrong\n", wrong);
    return wrong == 0 ? 0 : 1;
}
