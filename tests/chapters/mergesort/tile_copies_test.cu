// SPDX-License-Identifier: MIT
// The block tile_copies alone: pieces of many lengths, empty ones among them, come to their places
// in shared memory and nowhere else, and the first keys of a tile leave. Prints each wrong key;
// exit status 1 if there is one.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <numeric>
#include <random>
#include <vector>

#include "blocks/tile_copies/tile_copies.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"

namespace {

using course::cuda_check, course::DeviceBuffer;
using mergesort::Key;

constexpr int kWarps = 4, kThreads = 32 * kWarps, kKeysPerThread = 9;
constexpr int kTile = kThreads * kKeysPerThread;
constexpr Key kUntouched = -1;

int checked = 0, wrong = 0;

// Piece p lies in from[sources[p], sources[p] + lengths[p]). It comes to the places after those of
// the pieces before it, and gaps[p] further. The first `stored` keys of the tile go to `to`.
template <int kPieces>
__global__ void copy_pieces_kernel(const Key* __restrict__ from, const int* __restrict__ sources,
                                   const int* __restrict__ lengths, const int* __restrict__ gaps,
                                   int stored, Key* __restrict__ to) {
    __shared__ Key s_keys[kTile];
    __shared__ mergesort::ChunkList<kWarps, kTile, kPieces> s_list;
    const int thread = threadIdx.x;
    for (int i = thread; i < kTile; i += kThreads) s_keys[i] = kUntouched;
    if (thread < 32) {
        int length = 0, place = 0, gap = 0, source = 0, chunk_end = 0;
        if (thread < kPieces) {
            source = sources[thread], length = lengths[thread], gap = gaps[thread];
            for (int p = 0; p < thread; ++p) place += lengths[p];
            for (int p = 0; p <= thread; ++p) chunk_end += mergesort::chunks_of(lengths[p]);
        }
        mergesort::list_chunks(source, place, gap, length, chunk_end, s_list);
    }
    __syncthreads();
    mergesort::load_chunks(from, s_keys, s_list);
    __syncthreads();
    mergesort::store_tile<kThreads, kKeysPerThread>(to, s_keys, stored);
}

template <typename Value>
DeviceBuffer<Value> to_device(const std::vector<Value>& values) {
    DeviceBuffer<Value> buffer(static_cast<std::int64_t>(values.size()));
    cuda_check(cudaMemcpy(buffer.data(), values.data(), buffer.bytes(), cudaMemcpyHostToDevice));
    return buffer;
}

template <int kPieces>
void check_pieces(const std::vector<int>& lengths, std::mt19937& random) {
    const int room = kTile - std::accumulate(lengths.begin(), lengths.end(), 0);
    std::vector<int> sources(kPieces), gaps(kPieces);
    for (int& source : sources) source = static_cast<int>(random() % 100);
    for (int& gap : gaps) gap = room > 0 ? static_cast<int>(random() % room) : 0;
    std::sort(gaps.begin(), gaps.end());  // so that no piece lies upon another
    std::vector<Key> list(kTile + 100);
    for (Key& key : list) key = static_cast<Key>(random() % 1'000'000);
    std::vector<Key> tile(kTile, kUntouched);
    int place = 0;
    for (int p = 0; p < kPieces; ++p) {
        std::copy_n(list.begin() + sources[p], lengths[p], tile.begin() + place + gaps[p]);
        place += lengths[p];
    }
    const DeviceBuffer<Key> d_list = to_device(list);
    const DeviceBuffer<int> d_sources = to_device(sources), d_lengths = to_device(lengths);
    const DeviceBuffer<int> d_gaps = to_device(gaps);
    for (const int stored : {0, 1, kThreads - 1, kThreads + 1, kTile - 1, kTile}) {
        std::vector<Key> expected(kTile, kUntouched - 1), found(kTile);
        DeviceBuffer<Key> d_to = to_device(expected);
        std::copy_n(tile.begin(), stored, expected.begin());
        copy_pieces_kernel<kPieces><<<1, kThreads>>>(
            d_list.data(), d_sources.data(), d_lengths.data(), d_gaps.data(), stored, d_to.data());
        cuda_check(cudaGetLastError());
        cuda_check(cudaMemcpy(found.data(), d_to.data(), d_to.bytes(), cudaMemcpyDeviceToHost));
        for (int i = 0; i < kTile; ++i) {
            ++checked;
            if (found[i] == expected[i] || ++wrong > 10) continue;
            std::printf("%d pieces, %d keys stored: at %d is %d instead of %d\n", kPieces, stored,
                        i, found[i], expected[i]);
        }
    }
}

template <int kPieces>
void check_all() {
    std::mt19937 random(kPieces);
    check_pieces<kPieces>(std::vector<int>(kPieces), random);  // no keys at all
    check_pieces<kPieces>(std::vector<int>(kPieces, kTile / kPieces), random);  // as many as fit
    for (int i = 0; i < 20; ++i) {
        std::vector<int> lengths(kPieces);
        int left = kTile;
        for (int& length : lengths) {  // around the length of a chunk, and any others
            const int most = std::min(left, 2 * mergesort::kChunkKeys + 2);
            length = random() % 4 == 0 ? 0 : static_cast<int>(random() % (most + 1));
            if (random() % 4 == 0) length = std::min(left, mergesort::kChunkKeys);
            left -= length;
        }
        std::shuffle(lengths.begin(), lengths.end(), random);
        check_pieces<kPieces>(lengths, random);
    }
}

}  // namespace

int main() {
    try {
        check_all<2>();
        check_all<4>();
        check_all<16>();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "tile_copies_test: %s\n", error.what());
        return 1;
    }
    std::printf("%d keys, %d wrong\n", checked, wrong);
    return wrong == 0 && checked > 0 ? 0 : 1;
}
