// SPDX-License-Identifier: MIT
// Asynchronous copies: the pipeline primitives. The results are those of a GPU; what a program may
// not rely on, such as data before the wait, is in async_copies_late_test.cu.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "device_array.hpp"

namespace {

constexpr int kThreads = 64;

// A ring of kStages buffers. Each thread copies one element of the next tile while the block works
// on the present one.
template <int kStages>
__global__ void ring_kernel(const int* in, int* out, int tiles) {
    __shared__ int s_ring[kStages][kThreads];
    const int thread = static_cast<int>(threadIdx.x);
    for (int stage = 0; stage < kStages - 1; ++stage) {
        if (stage < tiles) {
            __pipeline_memcpy_async(&s_ring[stage][thread], &in[stage * kThreads + thread], 4);
        }
        __pipeline_commit();
    }
    for (int tile = 0; tile < tiles; ++tile) {
        __pipeline_wait_prior(kStages - 2);
        __syncthreads();
        const int next = tile + kStages - 1;
        if (next < tiles) {
            __pipeline_memcpy_async(&s_ring[next % kStages][thread], &in[next * kThreads + thread],
                                    4);
        }
        __pipeline_commit();
        out[tile * kThreads + thread] = s_ring[tile % kStages][kThreads - 1 - thread];
    }
}

TEST(AsyncCopies, ARingOfBuffers) {
    constexpr int kTiles = 9;
    std::vector<int> input(kTiles * kThreads);
    std::iota(input.begin(), input.end(), 0);
    DeviceArray<int> in(input);
    DeviceArray<int> out(input.size());
    ring_kernel<4><<<1, kThreads>>>(in.data(), out.data(), kTiles);
    const std::vector<int> result = out.read();
    for (int i = 0; i < kTiles * kThreads; ++i) {
        const int tile = i / kThreads;
        ASSERT_EQ(result[i], tile * kThreads + kThreads - 1 - i % kThreads) << i;
    }
}

__global__ void zero_fill_kernel(const char* in, char* out) {
    __shared__ __align__(16) char s_bytes[48];
    if (threadIdx.x < 48) s_bytes[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        __pipeline_memcpy_async(&s_bytes[0], &in[0], 16, 5);
        __pipeline_memcpy_async(&s_bytes[16], &in[16], 8, 8);
        __pipeline_memcpy_async(&s_bytes[24], &in[24], 4, 1);
        __pipeline_commit();
        __pipeline_wait_prior(0);
    }
    __syncthreads();
    if (threadIdx.x < 48) out[threadIdx.x] = s_bytes[threadIdx.x];
}

TEST(AsyncCopies, ZeroFill) {
    DeviceArray<char> in(std::vector<char>(48, 7));
    DeviceArray<char> out(48);
    zero_fill_kernel<<<1, kThreads>>>(in.data(), out.data());
    std::vector<char> expected(48, 1);
    std::fill(expected.begin(), expected.begin() + 11, char{7});
    std::fill(expected.begin() + 11, expected.begin() + 24, char{0});
    std::fill(expected.begin() + 24, expected.begin() + 27, char{7});
    expected[27] = 0;
    EXPECT_EQ(out.read(), expected);
}

__global__ void mbarrier_kernel(const int* in, int* out) {
    __shared__ __mbarrier_t s_barrier;
    __shared__ int s_values[2][kThreads];
    const int thread = static_cast<int>(threadIdx.x);
    if (thread == 0) __mbarrier_init(&s_barrier, kThreads);
    __syncthreads();
    for (int phase = 0; phase < 2; ++phase) {
        __pipeline_memcpy_async(&s_values[phase][thread], &in[phase * kThreads + thread], 4);
        __pipeline_arrive_on(&s_barrier);
        const __mbarrier_token_t token = __mbarrier_arrive(&s_barrier);
        while (!__mbarrier_test_wait(&s_barrier, token)) {
        }
        out[phase * kThreads + thread] = s_values[phase][thread ^ 33];
    }
    __syncthreads();
    if (thread == 0) __mbarrier_inval(&s_barrier);
}

TEST(AsyncCopies, ABarrierTracksThem) {
    std::vector<int> input(2 * kThreads);
    std::iota(input.begin(), input.end(), 5);
    DeviceArray<int> in(input);
    DeviceArray<int> out(input.size());
    mbarrier_kernel<<<3, kThreads>>>(in.data(), out.data());
    const std::vector<int> result = out.read();
    for (int i = 0; i < 2 * kThreads; ++i) ASSERT_EQ(result[i], 5 + (i ^ 33)) << i;
}

// The barrier's own thread arrives for the others.
__global__ void counts_kernel(unsigned* out) {
    __shared__ __mbarrier_t s_barrier;
    if (threadIdx.x == 0) {
        __mbarrier_init(&s_barrier, 3);
        const __mbarrier_token_t first = __mbarrier_arrive(&s_barrier);
        out[0] = __mbarrier_token_pending_count(first);
        out[1] = __mbarrier_test_wait(&s_barrier, first);
        out[2] = __mbarrier_token_pending_count(__mbarrier_arrive_and_drop(&s_barrier));
        __mbarrier_arrive(&s_barrier);
        out[3] = __mbarrier_try_wait(&s_barrier, first, 1000);
        const __mbarrier_token_t second = __mbarrier_arrive(&s_barrier);
        out[4] = __mbarrier_token_pending_count(second);
        __mbarrier_arrive(&s_barrier);
        out[5] = __mbarrier_test_wait(&s_barrier, second);
        out[6] = __mbarrier_test_wait_parity(&s_barrier, true);
        out[7] = __mbarrier_test_wait_parity(&s_barrier, false);
    }
}

TEST(Barriers, CountTheirArrivals) {
    DeviceArray<unsigned> out(8);
    counts_kernel<<<1, 32>>>(out.data());
    EXPECT_EQ(out.read(), (std::vector<unsigned>{3, 0, 2, 1, 2, 1, 1, 0}));
}

}  // namespace
