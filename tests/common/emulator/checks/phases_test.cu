// SPDX-License-Identifier: MIT
// Barriers of libcu++ and bulk copies: what their phases order, and what nobody waited for.
#include <cuda_runtime.h>

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>
#include <utility>

#include "checks_test.hpp"

namespace ptx = cuda::ptx;

namespace {

constexpr int kThreads = 96;
constexpr int kCount = 256;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

enum class Handover { complete, no_wait, no_release };

// The first warp fills the tile, the others read it.
NEXT_LINE(kHandoverBegin);
__global__ void handover_kernel(const int* in, int* out, Handover how) {
    __shared__ Barrier full;
    __shared__ Barrier empty;
    __shared__ int s_tile[32];
    const int thread = static_cast<int>(threadIdx.x);
    if (thread == 0) init(&full, 32);
    if (thread == 0) init(&empty, kThreads - 32);
    __syncthreads();
    for (int tile = 0; tile < 4; ++tile) {
        if (thread < 32) {
            if (tile > 0 && how != Handover::no_release) empty.wait_parity((tile + 1) % 2);
            s_tile[thread] = in[tile * 32 + thread];
            (void)full.arrive();
        } else {
            if (how != Handover::no_wait) full.wait_parity(tile % 2);
            out[thread] = s_tile[(thread + 7) % 32];
            (void)empty.arrive();
        }
    }
}

std::vector<Finding> handover_findings(Handover how) {
    return findings_of([how] {
        handover_kernel<<<1, kThreads>>>(device_array<int>(128, 1), device_array<int>(kThreads),
                                         how);
    });
}

TEST(PhaseChecks, a_phase_orders_who_arrives_and_who_waits) {
    EXPECT_TRUE(is_silent(handover_findings(Handover::complete)));
}

TEST(PhaseChecks, a_reader_that_does_not_wait) {
    const auto found = handover_findings(Handover::no_wait);
    const bool reads = has(found, FindingKind::race_in_block, kHandoverBegin + 15);
    const bool writes = has(found, FindingKind::race_in_block, kHandoverBegin + 11);
    EXPECT_TRUE(reads || writes) << text_of(found);
}

TEST(PhaseChecks, a_writer_that_does_not_wait) {
    const auto found = handover_findings(Handover::no_release);
    const bool refused = has(found, FindingKind::invalid_call, 0);
    const bool writes = has(found, FindingKind::race_in_block, kHandoverBegin + 11);
    EXPECT_TRUE(refused || writes) << text_of(found);
}

// Knowledge passes on: from one warp to a second by a barrier, within it by __syncwarp(), and to a
// third by another barrier.
template <bool kSync>
__global__ void chain_kernel(int* out) {
    __shared__ Barrier first;
    __shared__ Barrier second;
    __shared__ int s_value;
    const int thread = static_cast<int>(threadIdx.x);
    if (thread == 0) init(&first, 1);
    if (thread == 0) init(&second, 1);
    __syncthreads();
    if (thread == 0) {
        s_value = 3;
        (void)first.arrive();
    } else if (thread >= 32 && thread < 64) {
        if (thread == 32) first.wait_parity(false);
        if (kSync) __syncwarp();
        if (thread == 63) (void)second.arrive();
    } else if (thread >= 64) {
        second.wait_parity(false);
        out[thread] = s_value;
    }
}

TEST(PhaseChecks, what_a_thread_knows_passes_on) {
    const auto run = [](auto kernel) {
        return findings_of([kernel] { kernel<<<1, kThreads>>>(device_array<int>(kThreads)); });
    };
    EXPECT_TRUE(is_silent(run(chain_kernel<true>)));
    EXPECT_TRUE(has(run(chain_kernel<false>), FindingKind::race_in_block, 0));
}

NEXT_LINE(kCountBegin);
__global__ void count_kernel(int expected) {
    __shared__ Barrier barrier;
    if (threadIdx.x == 0) init(&barrier, expected);
    __syncthreads();
    barrier.arrive_and_wait();
}

TEST(PhaseChecks, a_phase_that_never_ends) {
    const auto found = findings_of([] { count_kernel<<<1, kThreads>>>(kThreads + 1); });
    EXPECT_TRUE(has(found, FindingKind::barrier_divergence, kCountBegin + 4));
}

NEXT_LINE(kTwiceBegin);
__global__ void twice_kernel() {
    __shared__ Barrier barrier;
    if (threadIdx.x == 0) init(&barrier, static_cast<int>(blockDim.x * blockDim.y));
    __syncthreads();
    barrier.arrive_and_wait();
}

TEST(PhaseChecks, a_barrier_that_two_threads_initialise_alike) {
    const auto found = findings_of([] { twice_kernel<<<1, dim3(32, 2)>>>(); });
    EXPECT_EQ(found.size(), 1u);
    EXPECT_TRUE(has(found, FindingKind::same_value_writes, kTwiceBegin + 2, kTwiceBegin + 2));
}

// ---- Bulk loads

enum class Load { complete, no_wait, no_bytes, source_rewritten, target_written };

NEXT_LINE(kLoadBegin);
__global__ void load_kernel(int* in, int* out, Load how) {
    __shared__ alignas(16) int s_values[kCount];
    __shared__ Barrier barrier;
    const int thread = static_cast<int>(threadIdx.x);
    if (thread == 0) init(&barrier, kThreads);
    __syncthreads();
    if (thread == 0) {
        cuda::device::memcpy_async_tx(s_values, in, cuda::aligned_size_t<16>(sizeof s_values),
                                      barrier);
    }
    const int bytes = thread == 0 && how != Load::no_bytes ? int{sizeof s_values} : 0;
    Barrier::arrival_token token = cuda::device::barrier_arrive_tx(barrier, 1, bytes);
    if (how == Load::source_rewritten && thread == 0) in[5] = 1;
    if (how == Load::target_written && thread == 0) s_values[5] = 1;
    if (how != Load::no_wait) barrier.wait(std::move(token));
    out[thread] = s_values[thread + 1];
}

std::vector<Finding> load_findings(Load how) {
    return findings_of([how] {
        load_kernel<<<1, kThreads>>>(device_array<int>(kCount, 1), device_array<int>(kThreads),
                                     how);
    });
}

TEST(BulkChecks, a_load_with_its_phase) { EXPECT_TRUE(is_silent(load_findings(Load::complete))); }

TEST(BulkChecks, a_load_that_nobody_waits_for) {
    const int copy = kLoadBegin + 7;
    EXPECT_TRUE(
        has(load_findings(Load::no_wait), FindingKind::copy_in_flight, kLoadBegin + 15, copy));
    EXPECT_TRUE(
        has(load_findings(Load::no_bytes), FindingKind::copy_in_flight, kLoadBegin + 15, copy));
}

TEST(BulkChecks, a_load_that_is_disturbed) {
    const int copy = kLoadBegin + 7;
    EXPECT_TRUE(has(load_findings(Load::source_rewritten), FindingKind::copy_in_flight,
                    kLoadBegin + 12, copy));
    EXPECT_TRUE(has(load_findings(Load::target_written), FindingKind::copy_in_flight,
                    kLoadBegin + 13, copy));
}

// ---- Bulk stores

enum class Store { complete, issuer_fences, no_fence, no_wait, no_commit, rewritten, read_back };

NEXT_LINE(kStoreBegin);
__global__ void store_kernel(int* out, int* other, Store how) {
    __shared__ alignas(16) int s_values[kThreads];
    const int thread = static_cast<int>(threadIdx.x);
    s_values[thread] = thread;
    if (how != Store::no_fence && how != Store::issuer_fences) {
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    if (how == Store::issuer_fences && thread == 0) ptx::fence_proxy_async(ptx::space_shared);
    if (thread == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, s_values, sizeof s_values);
        if (how != Store::no_commit) ptx::cp_async_bulk_commit_group();
        if (how == Store::rewritten) s_values[7] = 1;
        if (how != Store::no_wait) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
        if (how == Store::read_back) other[0] = out[3];
        s_values[8] = 2;
    }
}

std::vector<Finding> store_findings(Store how) {
    return findings_of([how] {
        store_kernel<<<2, kThreads>>>(device_array<int>(kThreads), device_array<int>(1), how);
    });
}

TEST(BulkChecks, a_store_with_its_fence_and_its_wait) {
    // Two blocks store the same values to the same place.
    for (const Store how : {Store::complete, Store::issuer_fences}) {
        const auto found = findings_of([how] {
            store_kernel<<<1, kThreads>>>(device_array<int>(kThreads), device_array<int>(1), how);
        });
        EXPECT_TRUE(is_silent(found));
    }
}

TEST(BulkChecks, two_blocks_that_store_to_one_place) {
    EXPECT_TRUE(has(store_findings(Store::complete), FindingKind::race_between_blocks,
                    kStoreBegin + 10, kStoreBegin + 10));
}

TEST(BulkChecks, a_store_without_a_fence) {
    EXPECT_TRUE(has(store_findings(Store::no_fence), FindingKind::missing_proxy_fence,
                    kStoreBegin + 10, kStoreBegin + 3));
}

TEST(BulkChecks, a_store_that_nobody_waits_for) {
    const int copy = kStoreBegin + 10;
    for (const Store how : {Store::no_wait, Store::no_commit}) {
        const auto found = store_findings(how);
        EXPECT_TRUE(has(found, FindingKind::copy_in_flight, kStoreBegin + 15, copy));
        EXPECT_TRUE(has(found, FindingKind::copy_never_awaited, copy));
    }
    EXPECT_TRUE(
        has(store_findings(Store::rewritten), FindingKind::copy_in_flight, kStoreBegin + 12, copy));
    EXPECT_TRUE(
        has(store_findings(Store::read_back), FindingKind::copy_in_flight, kStoreBegin + 14, copy));
}

NEXT_LINE(kSizeBegin);
__global__ void size_kernel(int* out, int offset, int bytes) {
    __shared__ alignas(16) int s_values[kThreads];
    s_values[threadIdx.x] = 1;
    ptx::fence_proxy_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + offset, s_values, bytes);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

TEST(BulkChecks, sizes_and_alignments_that_no_device_accepts) {
    const auto run = [](int offset, int bytes) {
        return findings_of(
            [=] { size_kernel<<<1, kThreads>>>(device_array<int>(kThreads), offset, bytes); });
    };
    EXPECT_TRUE(is_silent(run(4, 64)));
    EXPECT_TRUE(has(run(0, 40), FindingKind::invalid_call, kSizeBegin + 6));
    EXPECT_TRUE(has(run(1, 64), FindingKind::invalid_call, kSizeBegin + 6));
    EXPECT_TRUE(has(run(4, 384), FindingKind::out_of_bounds, kSizeBegin + 6));
    EXPECT_TRUE(has(run(0, 400), FindingKind::invalid_call, kSizeBegin + 6));
}

// ---- Atomic objects of libcu++

// The last warp that arrives adds what the others have written.
template <cuda::memory_order kOrder>
__global__ void last_warp_kernel(int* out) {
    __shared__ cuda::atomic<int, cuda::thread_scope_block> s_arrived;
    __shared__ int s_values[kThreads / 32];
    if (threadIdx.x == 0) s_arrived.store(0, cuda::memory_order_relaxed);
    __syncthreads();
    if (threadIdx.x % 32 != 0) return;
    s_values[threadIdx.x / 32] = 1;
    if (s_arrived.fetch_add(1, kOrder) == kThreads / 32 - 1) {
        for (int i = 0; i < kThreads / 32; ++i) out[0] += s_values[i];
    }
}

TEST(PhaseChecks, an_atomic_object_that_releases_and_acquires) {
    const auto run = [](auto kernel) {
        return findings_of([kernel] { kernel<<<1, kThreads>>>(device_array<int>(1)); });
    };
    EXPECT_TRUE(is_silent(run(last_warp_kernel<cuda::memory_order_acq_rel>)));
    EXPECT_TRUE(
        has(run(last_warp_kernel<cuda::memory_order_relaxed>), FindingKind::race_in_block, 0));
}

NEXT_LINE(kVectorBegin);
__global__ void vector_kernel(float4* values) {
    __shared__ float4 s_values[2];
    s_values[0] = make_float4(0, 0, 0, 0);
    atomicAdd(&values[0], make_float4(1, 1, 1, 1));
    atomicAdd(&s_values[0], make_float4(1, 1, 1, 1));
}

TEST(AtomicChecks, no_vector_in_shared_memory) {
    EXPECT_TRUE(has(findings_of([] { vector_kernel<<<1, 1>>>(device_array<float4>(1)); }),
                    FindingKind::invalid_call, kVectorBegin + 4));
}

}  // namespace
