// SPDX-License-Identifier: MIT
// libcu++: barriers, pipelines, latches, semaphores, and bulk copies through cuda::ptx.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/ptx>
#include <cuda/semaphore>
#include <cuda/std/utility>
#include <new>
#include <numeric>
#include <vector>

#include "device_array.hpp"

#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

namespace {

constexpr int kThreads = 96;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

std::vector<int> numbers(int count) {
    std::vector<int> values(count);
    std::iota(values.begin(), values.end(), 1);
    return values;
}

// Each thread tells its neighbour a number in each phase; the arrival and the wait are apart.
__global__ void neighbours_kernel(int* out, int phases) {
    __shared__ Barrier barrier;
    __shared__ int s_values[2][kThreads];
    const int thread = static_cast<int>(threadIdx.x);
    if (thread == 0) init(&barrier, kThreads);
    __syncthreads();
    int value = thread;
    for (int phase = 0; phase < phases; ++phase) {
        s_values[phase % 2][thread] = value;
        Barrier::arrival_token token = barrier.arrive();
        const int own = value * 2;
        barrier.wait(cuda::std::move(token));
        value = own + s_values[phase % 2][(thread + 1) % kThreads];
    }
    out[thread] = value;
}

TEST(Barriers, OrderThePhases) {
    DeviceArray<int> out(kThreads);
    neighbours_kernel<<<2, kThreads>>>(out.data(), 5);
    std::vector<int> expected(kThreads);
    std::iota(expected.begin(), expected.end(), 0);
    for (int phase = 0; phase < 5; ++phase) {
        const std::vector<int> before = expected;
        for (int i = 0; i < kThreads; ++i) {
            expected[i] = before[i] * 2 + before[(i + 1) % kThreads];
        }
    }
    EXPECT_EQ(out.read(), expected);
}

// One warp produces, the others consume: they arrive without waiting, and wait without arriving.
__global__ void roles_kernel(const int* in, int* out, int tiles) {
    __shared__ Barrier filled[2];
    __shared__ Barrier empty[2];
    __shared__ int s_tile[2][32];
    const int thread = static_cast<int>(threadIdx.x);
    if (thread < 2) {
        init(&filled[thread], kThreads);
        init(&empty[thread], kThreads);
    }
    __syncthreads();
    if (thread < 32) {
        for (int tile = 0; tile < tiles; ++tile) {
            const int stage = tile % 2;
            empty[stage].arrive_and_wait();
            s_tile[stage][thread] = in[tile * 32 + thread];
            (void)filled[stage].arrive();
        }
    } else {
        (void)empty[0].arrive();
        (void)empty[1].arrive();
        int sum = 0;
        for (int tile = 0; tile < tiles; ++tile) {
            const int stage = tile % 2;
            filled[stage].arrive_and_wait();
            for (int i = 0; i < 32; ++i) sum += s_tile[stage][(i + thread) % 32];
            (void)empty[stage].arrive();
        }
        out[thread] = sum;
    }
}

TEST(Barriers, ProducersAndConsumers) {
    constexpr int kTiles = 7;
    DeviceArray<int> in(numbers(kTiles * 32));
    DeviceArray<int> out(kThreads);
    roles_kernel<<<1, kThreads>>>(in.data(), out.data(), kTiles);
    const std::vector<int> result = out.read();
    for (int i = 32; i < kThreads; ++i) {
        EXPECT_EQ(result[i], kTiles * 32 * (kTiles * 32 + 1) / 2);
    }
}

struct Doubling {
    int* value;
    __device__ void operator()() { *value *= 2; }
};

__global__ void completion_kernel(int* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block, Doubling>* barrier;
    __shared__ alignas(16) char s_room[64];
    __shared__ int s_value;
    if (threadIdx.x == 0) {
        s_value = 1;
        barrier = new (s_room)
            cuda::barrier<cuda::thread_scope_block, Doubling>(blockDim.x, Doubling{&s_value});
    }
    __syncthreads();
    for (int i = 0; i < 4; ++i) barrier->arrive_and_wait();
    out[threadIdx.x] = s_value;
}

TEST(Barriers, CompletionFunction) {
    DeviceArray<int> out(kThreads);
    completion_kernel<<<1, kThreads>>>(out.data());
    EXPECT_EQ(out.read(), std::vector<int>(kThreads, 16));
}

__global__ void drop_kernel(int* out) {
    __shared__ Barrier barrier;
    __shared__ int s_sum;
    if (threadIdx.x == 0) {
        init(&barrier, blockDim.x);
        s_sum = 0;
    }
    __syncthreads();
    if (threadIdx.x % 2 != 0) {
        barrier.arrive_and_drop();
        return;
    }
    barrier.arrive_and_wait();
    atomicAdd(&s_sum, 1);
    barrier.arrive_and_wait();
    out[threadIdx.x / 2] = s_sum;
}

TEST(Barriers, ThreadsThatDropOut) {
    DeviceArray<int> out(kThreads / 2);
    drop_kernel<<<1, kThreads>>>(out.data());
    EXPECT_EQ(out.read(), std::vector<int>(kThreads / 2, kThreads / 2));
}

// ---- Copies

template <class T, class Size>
__global__ void barrier_copy_kernel(const T* in, int* out, Size bytes) {
    __shared__ Barrier barrier;
    __shared__ alignas(16) int s_values[256];
    if (threadIdx.x == 0) init(&barrier, kThreads);
    __syncthreads();
    cuda::memcpy_async(cg::this_thread_block(), reinterpret_cast<T*>(s_values), in, bytes, barrier);
    barrier.arrive_and_wait();
    for (unsigned i = threadIdx.x; i < 256; i += kThreads) out[i] = s_values[255 - i];
}

TEST(Copies, TrackedByABarrier) {
    DeviceArray<int> in(numbers(256));
    std::vector<int> expected = numbers(256);
    std::reverse(expected.begin(), expected.end());
    DeviceArray<int> by_threads(256);
    barrier_copy_kernel<<<1, kThreads>>>(in.data(), by_threads.data(), std::size_t{1024});
    EXPECT_EQ(by_threads.read(), expected);
    DeviceArray<int> in_bulk(256);
    barrier_copy_kernel<<<1, kThreads>>>(in.data(), in_bulk.data(), cuda::aligned_size_t<16>(1024));
    EXPECT_EQ(in_bulk.read(), expected);
    DeviceArray<int> as_bytes(256);
    barrier_copy_kernel<<<1, kThreads>>>(reinterpret_cast<const char*>(in.data()), as_bytes.data(),
                                         std::size_t{256});
    const std::vector<int> part = as_bytes.read();
    for (int i = 192; i < 256; ++i) EXPECT_EQ(part[i], expected[i]);
}

template <int kStages>
__global__ void thread_pipeline_kernel(const int* in, int* out, int tiles) {
    __shared__ int s_ring[kStages][kThreads];
    const int thread = static_cast<int>(threadIdx.x);
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    int fetched = 0;
    for (int tile = 0; tile < tiles; ++tile) {
        for (; fetched < tiles && fetched < tile + kStages; ++fetched) {
            pipe.producer_acquire();
            cuda::memcpy_async(&s_ring[fetched % kStages][thread], &in[fetched * kThreads + thread],
                               sizeof(int), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        __syncthreads();
        out[tile * kThreads + thread] = s_ring[tile % kStages][kThreads - 1 - thread];
        __syncthreads();
        pipe.consumer_release();
    }
}

template <int kStages>
__global__ void block_pipeline_kernel(const int* in, int* out, int tiles, bool with_roles) {
    using State = cuda::pipeline_shared_state<cuda::thread_scope_block, kStages>;
    __shared__ State state;
    __shared__ int s_ring[kStages][kThreads];
    const cg::thread_block block = cg::this_thread_block();
    const int thread = static_cast<int>(threadIdx.x);
    const bool produces = !with_roles || thread < 32;
    const bool consumes = !with_roles || thread >= 32;
    auto pipe = with_roles ? cuda::make_pipeline(block, &state,
                                                 produces ? cuda::pipeline_role::producer
                                                          : cuda::pipeline_role::consumer)
                           : cuda::make_pipeline(block, &state);
    if (with_roles && produces) {
        for (int tile = 0; tile < tiles; ++tile) {
            pipe.producer_acquire();
            for (int i = thread; i < kThreads; i += 32) {
                cuda::memcpy_async(&s_ring[tile % kStages][i], &in[tile * kThreads + i],
                                   sizeof(int), pipe);
            }
            pipe.producer_commit();
        }
    }
    int fetched = 0;
    for (int tile = 0; consumes && tile < tiles; ++tile) {
        for (; !with_roles && fetched < tiles && fetched < tile + kStages; ++fetched) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, s_ring[fetched % kStages], &in[fetched * kThreads],
                               sizeof(int) * kThreads, pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        for (int i = with_roles ? thread - 32 : thread; i < kThreads; i += with_roles ? 64 : 96) {
            out[tile * kThreads + i] = s_ring[tile % kStages][kThreads - 1 - i];
        }
        pipe.consumer_release();
    }
}

TEST(Copies, Pipelines) {
    constexpr int kTiles = 7;
    DeviceArray<int> in(numbers(kTiles * kThreads));
    std::vector<int> expected = numbers(kTiles * kThreads);
    for (int tile = 0; tile < kTiles; ++tile) {
        const auto begin = expected.begin() + tile * kThreads;
        std::reverse(begin, begin + kThreads);
    }
    DeviceArray<int> of_threads(expected.size());
    thread_pipeline_kernel<3><<<1, kThreads>>>(in.data(), of_threads.data(), kTiles);
    EXPECT_EQ(of_threads.read(), expected);
    DeviceArray<int> of_block(expected.size());
    block_pipeline_kernel<3><<<1, kThreads>>>(in.data(), of_block.data(), kTiles, false);
    EXPECT_EQ(of_block.read(), expected);
    DeviceArray<int> by_roles(expected.size());
    block_pipeline_kernel<2><<<1, kThreads>>>(in.data(), by_roles.data(), kTiles, true);
    EXPECT_EQ(by_roles.read(), expected);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define HAVE_BULK_COPIES 1
#else
#define HAVE_BULK_COPIES 0
#endif

// Through shared memory and back, by one thread.
__global__ void bulk_kernel(const int* in, int* out, int* sums) {
#if HAVE_BULK_COPIES
    __shared__ alignas(128) int s_in[256];
    __shared__ alignas(128) int s_out[256];
    __shared__ std::uint64_t s_barrier;
    const int thread = static_cast<int>(threadIdx.x);
    if (thread == 0) {
        ptx::mbarrier_init(&s_barrier, 1);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    if (thread == 0) {
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s_in, in, sizeof s_in,
                           &s_barrier);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                       &s_barrier, sizeof s_in);
    }
    while (!ptx::mbarrier_try_wait_parity(&s_barrier, 0)) {
    }
    for (int i = thread; i < 256; i += kThreads) s_out[i] = s_in[255 - i] + 1;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (thread == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, s_out, sizeof s_out);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, sums, s_out,
                                  sizeof s_out);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>());
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
#endif
}

TEST(Copies, InBulk) {
    DeviceArray<int> in(numbers(256));
    DeviceArray<int> out(256);
    DeviceArray<int> sums(numbers(256));
    bulk_kernel<<<1, kThreads>>>(in.data(), out.data(), sums.data());
    std::vector<int> expected = numbers(256);
    std::reverse(expected.begin(), expected.end());
    for (int& value : expected) ++value;
    EXPECT_EQ(out.read(), expected);
    for (int i = 0; i < 256; ++i) expected[i] += i + 1;
    EXPECT_EQ(sums.read(), expected);
}

// ---- Atomic objects

__global__ void atomic_kernel(unsigned* out, float* total) {
    __shared__ cuda::atomic<unsigned, cuda::thread_scope_block> s_count;
    using Latch = cuda::latch<cuda::thread_scope_block>;
    __shared__ alignas(Latch) char s_room[sizeof(Latch)];
    Latch& latch = *reinterpret_cast<Latch*>(s_room);
    if (threadIdx.x == 0) {
        s_count.store(5, cuda::std::memory_order_relaxed);
        new (s_room) Latch(kThreads);
    }
    __syncthreads();
    s_count.fetch_add(2, cuda::std::memory_order_relaxed);
    s_count.fetch_max(3u);
    cuda::atomic_ref<float, cuda::thread_scope_device>(*total).fetch_add(0.5f);
    latch.arrive_and_wait();
    unsigned expected = 5 + 2 * kThreads;
    if (threadIdx.x == 0) {
        out[1] = s_count.compare_exchange_strong(expected, 7u);
        out[2] = s_count.exchange(9u);
        out[3] = ++s_count;
        out[0] = expected;
    }
}

TEST(AtomicObjects, Operations) {
    DeviceArray<unsigned> out(4);
    DeviceArray<float> total(1);
    atomic_kernel<<<1, kThreads>>>(out.data(), total.data());
    EXPECT_EQ(out.read(), (std::vector<unsigned>{5 + 2 * kThreads, 1, 7, 10}));
    EXPECT_EQ(total.read()[0], 0.5f * kThreads);
}

// At most two warps hold the semaphore; here, at most one thread per warp asks for it.
__global__ void semaphore_kernel(int* most, int* now) {
    using Semaphore = cuda::counting_semaphore<cuda::thread_scope_block, 2>;
    __shared__ alignas(Semaphore) char s_room[sizeof(Semaphore)];
    Semaphore& semaphore = *reinterpret_cast<Semaphore*>(s_room);
    if (threadIdx.x == 0) new (s_room) Semaphore(2);
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        semaphore.acquire();
        atomicMax(most, atomicAdd(now, 1) + 1);
        atomicSub(now, 1);
        semaphore.release();
    }
}

TEST(AtomicObjects, Semaphore) {
    DeviceArray<int> most(1);
    DeviceArray<int> now(1);
    semaphore_kernel<<<1, 256>>>(most.data(), now.data());
    EXPECT_LE(most.read()[0], 2);
    EXPECT_EQ(now.read()[0], 0);
}

}  // namespace
