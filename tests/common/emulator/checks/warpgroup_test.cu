// SPDX-License-Identifier: MIT
// Products of warpgroups (wgmma) read their tiles until their warp has waited for them: tiles that
// change or arrive meanwhile, missing waits and missing fences.
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cuda/ptx>

#include "../tensor_map.hpp"
#include "checks_test.hpp"

namespace ptx = cuda::ptx;

namespace {

constexpr int kK = 64;  // a row of a tile is as long as the swizzle
constexpr int kM = 64;
constexpr int kN = 8;
constexpr int kThreads = 128;

CUtensorMap map_of(__nv_bfloat16* matrix, int rows) {
    return tensor_map(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, sizeof(__nv_bfloat16), matrix, rows, kK,
                      rows, kK, CU_TENSOR_MAP_SWIZZLE_128B);
}

enum class Fault {
    none,
    no_wait_for_tiles,
    no_fence,
    no_commit,
    next_tile_too_early,
    writes_too_early,
    no_proxy_fence,
    a_warp_is_missing,
};

__device__ std::uint64_t descriptor_of(const void* tile) {
    const auto address = static_cast<std::uint64_t>(__cvta_generic_to_shared(tile));
    return (address & 0x3ffff) >> 4 | 1ull << 16 | 1024ull >> 4 << 32 | 1ull << 62;
}

NEXT_LINE(kBegin);
__global__ void tiles_kernel(const __grid_constant__ CUtensorMap a,
                             const __grid_constant__ CUtensorMap b, float* out, Fault fault) {
    __shared__ alignas(1024) __nv_bfloat16 s_a[kM * kK];
    __shared__ alignas(1024) __nv_bfloat16 s_b[kN * kK];
    __shared__ std::uint64_t s_full;
    const std::int32_t first[] = {0, 0};
    const int thread = static_cast<int>(threadIdx.x);
    if (thread == 0) ptx::mbarrier_init(&s_full, 1);
    __syncthreads();
    float d[4] = {};
    for (unsigned tile = 0; tile < 2; ++tile) {
        if (thread == 0) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                           &s_full, sizeof s_a + sizeof s_b);
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s_a, &a, first,
                                      &s_full);
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s_b, &b, first,
                                      &s_full);
        }
        const bool waits = fault != Fault::no_wait_for_tiles;
        while (waits && !ptx::mbarrier_try_wait_parity(&s_full, tile)) {
        }
        if (fault == Fault::no_proxy_fence) {
            s_b[thread] = __nv_bfloat16(1.0f);
            __syncthreads();
        }
        if (fault != Fault::no_fence) asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        if (fault == Fault::a_warp_is_missing && thread >= 96) return;
        asm volatile(
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
            "{%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "l"(descriptor_of(s_a)), "l"(descriptor_of(s_b)));
        if (fault != Fault::no_commit) asm volatile("wgmma.commit_group.sync.aligned;");
        if (fault == Fault::writes_too_early && thread == 0) s_a[0] = __nv_bfloat16(0.0f);
        if (fault != Fault::next_tile_too_early) {
            asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        }
        __syncthreads();
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < 4; ++i) out[thread * 4 + i] = d[i];
}
constexpr int kLoadA = kBegin + 14;
constexpr int kWriteB = kBegin + 23;
constexpr int kProduct = kBegin + 28;
constexpr int kEarlyWrite = kBegin + 34;
constexpr int kWait = kBegin + 36;

std::vector<Finding> findings_with(Fault fault) {
    return findings_of([fault] {
        tiles_kernel<<<1, kThreads>>>(map_of(device_array<__nv_bfloat16>(kM * kK), kM),
                                      map_of(device_array<__nv_bfloat16>(kN * kK), kN),
                                      device_array<float>(kThreads * 4), fault);
    });
}

TEST(Warpgroups, tiles_with_their_waits_and_fences) {
    EXPECT_TRUE(is_silent(findings_with(Fault::none)));
}

TEST(Warpgroups, tiles_that_have_not_arrived) {
    EXPECT_TRUE(has(findings_with(Fault::no_wait_for_tiles), FindingKind::copy_in_flight, kProduct,
                    kLoadA));
}

TEST(Warpgroups, the_next_tile_overwrites_what_is_still_read) {
    EXPECT_TRUE(has(findings_with(Fault::next_tile_too_early), FindingKind::copy_in_flight, kLoadA,
                    kProduct));
}

TEST(Warpgroups, a_thread_overwrites_what_is_still_read) {
    EXPECT_TRUE(has(findings_with(Fault::writes_too_early), FindingKind::copy_in_flight,
                    kEarlyWrite, kProduct));
}

TEST(Warpgroups, a_product_that_no_group_has) {
    EXPECT_TRUE(has(findings_with(Fault::no_commit), FindingKind::copy_never_awaited, kProduct));
}

TEST(Warpgroups, three_warps_that_wait_for_the_fourth) {
    EXPECT_TRUE(
        has(findings_with(Fault::a_warp_is_missing), FindingKind::barrier_divergence, kWait));
}

TEST(Warpgroups, registers_without_their_fence) {
    EXPECT_TRUE(has(findings_with(Fault::no_fence), FindingKind::invalid_call, kProduct));
}

TEST(Warpgroups, a_tile_that_threads_wrote_without_the_fence) {
    EXPECT_TRUE(has(findings_with(Fault::no_proxy_fence), FindingKind::missing_proxy_fence,
                    kProduct, kWriteB));
}

// Warps 0 to 3 multiply, warp 4 loads. One thread tells it for all four warps that a tile was read.
enum class Ring { complete, no_wait_for_empty, releases_before_the_wait };

NEXT_LINE(kRingBegin);
__global__ void ring_kernel(const __grid_constant__ CUtensorMap a,
                            const __grid_constant__ CUtensorMap b, float* out, Ring how) {
    __shared__ alignas(1024) __nv_bfloat16 s_a[kM * kK];
    __shared__ alignas(1024) __nv_bfloat16 s_b[kN * kK];
    __shared__ std::uint64_t s_full;
    __shared__ std::uint64_t s_empty;
    const int thread = static_cast<int>(threadIdx.x);
    if (thread == 0) ptx::mbarrier_init(&s_full, 1);
    if (thread == 0) ptx::mbarrier_init(&s_empty, 1);
    __syncthreads();
    if (thread >= kThreads) {
        const std::int32_t first[] = {0, 0};
        for (unsigned tile = 0; tile < 3 && thread == kThreads; ++tile) {
            if (tile > 0 && how != Ring::no_wait_for_empty) {
                while (!ptx::mbarrier_try_wait_parity(&s_empty, (tile - 1) % 2)) {
                }
            }
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                           &s_full, sizeof s_a + sizeof s_b);
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s_a, &a, first,
                                      &s_full);
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s_b, &b, first,
                                      &s_full);
        }
        return;
    }
    float d[4] = {};
    for (unsigned tile = 0; tile < 3; ++tile) {
        while (!ptx::mbarrier_try_wait_parity(&s_full, tile % 2)) {
        }
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        asm volatile(
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
            "{%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "l"(descriptor_of(s_a)), "l"(descriptor_of(s_b)));
        asm volatile("wgmma.commit_group.sync.aligned;");
        const bool is_early = how == Ring::releases_before_the_wait;
        if (is_early && thread == 0) ptx::mbarrier_arrive(&s_empty);
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        if (!is_early && thread == 0) ptx::mbarrier_arrive(&s_empty);
    }
    for (int i = 0; i < 4; ++i) out[thread * 4 + i] = d[i];
}
constexpr int kRingLoad = kRingBegin + 19;
constexpr int kRingProduct = kRingBegin + 31;

std::vector<Finding> ring_findings(Ring how) {
    return findings_of([how] {
        ring_kernel<<<1, kThreads + 32>>>(map_of(device_array<__nv_bfloat16>(kM * kK), kM),
                                          map_of(device_array<__nv_bfloat16>(kN * kK), kN),
                                          device_array<float>(kThreads * 4), how);
    });
}

TEST(Warpgroups, one_thread_speaks_for_four_warps) {
    EXPECT_TRUE(is_silent(ring_findings(Ring::complete)));
}

TEST(Warpgroups, a_tile_that_is_given_back_before_the_wait) {
    EXPECT_TRUE(has(ring_findings(Ring::releases_before_the_wait), FindingKind::copy_in_flight,
                    kRingLoad, kRingProduct));
}

TEST(Warpgroups, a_producer_that_does_not_wait) {
    const auto found = ring_findings(Ring::no_wait_for_empty);
    EXPECT_TRUE(has(found, FindingKind::copy_in_flight, kRingLoad) ||
                has(found, FindingKind::copy_in_flight, kRingProduct) ||
                has(found, FindingKind::invalid_call, 0))
        << text_of(found);
}

}  // namespace
