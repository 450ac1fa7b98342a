// SPDX-License-Identifier: MIT
// The block bulk_copies alone: lists of many lengths come to shared memory in two copies, each key
// changes there, and the list leaves. Prints each wrong key; exit status 1 if there is one.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cuda/ptx>
#include <exception>
#include <vector>

#include "blocks/bulk_copies/bulk_copies.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"

namespace {

using course::cuda_check, course::DeviceBuffer;
using mergesort::kBulkKeys, mergesort::Key, mergesort::whole_bulks;

constexpr int kThreads = 64, kMost = 1000;

int checked = 0, wrong = 0;

// `from` holds a whole number of bulks. The second copy has its last one.
__global__ void increase_kernel(const Key* __restrict__ from, Key* __restrict__ to, int count) {
    __shared__ __align__(16) Key s_keys[kMost + kBulkKeys];
    __shared__ std::uint64_t s_arrived;
    const int thread = threadIdx.x, copied = static_cast<int>(whole_bulks(count));
    const int first = copied - kBulkKeys;
    if (thread == 0) {
        mergesort::expect_bulks(copied, s_arrived);
        if (first > 0) mergesort::fetch_bulk(s_keys, from, first, s_arrived);
        mergesort::fetch_bulk(s_keys + first, from + first, kBulkKeys, s_arrived);
    }
    __syncthreads();
    mergesort::wait_for_bulks(s_arrived);
    for (int i = thread; i < count; i += kThreads) s_keys[i] += 1;
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    __syncthreads();
    mergesort::store_bulk(to, s_keys, count);
}

void check(int count) {
    std::vector<Key> list(whole_bulks(count)), found(list.size() + kBulkKeys, -1);
    for (std::size_t i = 0; i < list.size(); ++i) list[i] = static_cast<Key>(7 * i);
    DeviceBuffer<Key> d_from(static_cast<std::int64_t>(list.size()));
    DeviceBuffer<Key> d_to(static_cast<std::int64_t>(found.size()));
    cuda_check(cudaMemcpy(d_from.data(), list.data(), d_from.bytes(), cudaMemcpyHostToDevice));
    cuda_check(cudaMemcpy(d_to.data(), found.data(), d_to.bytes(), cudaMemcpyHostToDevice));
    increase_kernel<<<1, kThreads>>>(d_from.data(), d_to.data(), count);
    cuda_check(cudaGetLastError());
    cuda_check(cudaMemcpy(found.data(), d_to.data(), d_to.bytes(), cudaMemcpyDeviceToHost));
    for (int i = 0; i < static_cast<int>(found.size()); ++i) {
        const Key expected = i < count ? list[i] + 1 : -1;  // nothing behind the list changes
        ++checked;
        if (found[i] == expected || ++wrong > 10) continue;
        std::printf("%d keys: at %d is %d instead of %d\n", count, i, found[i], expected);
    }
}

}  // namespace

int main() {
    try {
        for (const int count : {1, 3, 4, 5, 63, 64, 65, 127, 998, 999, kMost}) check(count);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bulk_copies_test: %s\n", error.what());
        return 1;
    }
    std::printf("%d keys, %d wrong\n", checked, wrong);
    return wrong == 0 && checked > 0 ? 0 : 1;
}
