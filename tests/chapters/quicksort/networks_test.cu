// SPDX-License-Identifier: MIT
// The block networks alone: lists of many lengths, with keys that are there more than once.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "blocks/networks/bitonic_sort.cuh"
#include "blocks/networks/warp_sort.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "limit/03_register_network/register_network.cuh"
#include "problem/quicksort.hpp"

namespace {

using course::cuda_check, course::DeviceBuffer, quicksort::Key;

constexpr Key kUntouched = -77;
constexpr int kBehind = 8;  // words behind the list, which must not change

// Sorts `count` keys by sort(list), a list on the device, and compares with the CPU.
template <typename Sort>
void check(int count, const Sort& sort) {
    std::mt19937 random(count);
    std::vector<Key> keys(count + kBehind, kUntouched), found(keys.size());
    for (int i = 0; i < count; ++i) keys[i] = static_cast<Key>(random() % 1000) - 500;
    DeviceBuffer<Key> d_keys(static_cast<std::int64_t>(keys.size()));
    cuda_check(cudaMemcpy(d_keys.data(), keys.data(), d_keys.bytes(), cudaMemcpyHostToDevice));
    cuda_check(sort(d_keys.data()));
    cuda_check(cudaMemcpy(found.data(), d_keys.data(), d_keys.bytes(), cudaMemcpyDeviceToHost));
    std::sort(keys.begin(), keys.end() - kBehind);
    EXPECT_EQ(found, keys) << count << " keys";
}

TEST(Networks, BlockSortsALaunchedList) {
    for (const int count : {1, 2, 3, 31, 32, 33, 100, 255, 256, 257, 1000, 2048}) {
        check(count,
              [count](Key* keys) { return quicksort::launch_block_sort(keys, count, nullptr); });
    }
}

TEST(Networks, StepsSortAnyList) {
    for (const int count : {1, 2, 3, 511, 512, 513, 3000}) {
        check(count,
              [count](Key* keys) { return quicksort::launch_step_sort(keys, count, nullptr); });
    }
}

__global__ void sort_in_shared_kernel(Key* keys, int count) {
    extern __shared__ Key s_keys[];
    for (int i = threadIdx.x; i < count; i += blockDim.x) s_keys[i] = keys[i];
    quicksort::sort_by_block(s_keys, count);
    for (int i = threadIdx.x; i < count; i += blockDim.x) keys[i] = s_keys[i];
}

TEST(Networks, BlockOfAnySizeSortsSharedMemory) {
    for (const int threads : {32, 96, 128}) {
        for (const int count : {1, 2, 5, 64, 100, 513}) {
            check(count, [=](Key* keys) {
                sort_in_shared_kernel<<<1, threads, count * sizeof(Key)>>>(keys, count);
                return cudaGetLastError();
            });
        }
    }
}

template <int kKeys>
__global__ void sort_by_warp_kernel(Key* keys, int count) {
    __shared__ __align__(16) Key s_keys[32 * kKeys];
    for (int i = threadIdx.x; i < count; i += 32) s_keys[i] = keys[i];
    __syncwarp();
    quicksort::sort_by_warp<kKeys, quicksort::Exchange>(s_keys, count, keys);
}

template <int kKeys>
void check_warp() {
    for (const int count : {1, 2, 31, 32, 33, 32 * kKeys - 1, 32 * kKeys}) {
        check(count, [count](Key* keys) {
            sort_by_warp_kernel<kKeys><<<1, 32>>>(keys, count);
            return cudaGetLastError();
        });
    }
}

TEST(Networks, WarpSortsSharedMemory) {
    check_warp<3>();
    check_warp<4>();
    check_warp<5>();
    check_warp<6>();
    check_warp<8>();
    check_warp<12>();
    check_warp<16>();
}

}  // namespace
