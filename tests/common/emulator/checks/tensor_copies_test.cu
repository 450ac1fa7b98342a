// SPDX-License-Identifier: MIT
// Copies of tensors' boxes: what nobody waited for, missing fences, maps larger than their memory,
// and how the copies are counted.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cuda/ptx>

#include "../counting/counting_test.hpp"
#include "../tensor_map.hpp"
#include "checks_test.hpp"

namespace ptx = cuda::ptx;

namespace {

constexpr int kSide = 32;  // of a box of floats, swizzled by 128 bytes
constexpr int kColumns = 40;
constexpr int kRows = 64;

CUtensorMap map_of(float* matrix, int rows) {
    return tensor_map(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, sizeof(float), matrix, rows, kColumns, kSide,
                      kSide, CU_TENSOR_MAP_SWIZZLE_128B);
}

enum class Fault {
    none,
    reads_too_early,
    rewrites_tile,
    no_fence,
    store_not_awaited,
};

NEXT_LINE(kBegin);
__global__ void copy_kernel(const __grid_constant__ CUtensorMap in,
                            const __grid_constant__ CUtensorMap out, int column, Fault fault,
                            float* sum) {
    __shared__ alignas(1024) float s_tile[kSide * kSide];
    __shared__ std::uint64_t s_barrier;
    const int thread = static_cast<int>(threadIdx.x);
    if (thread == 0) ptx::mbarrier_init(&s_barrier, 1);
    __syncthreads();
    const std::int32_t first[] = {column, 0};
    if (thread == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                       &s_barrier, sizeof s_tile);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s_tile, &in, first,
                                  &s_barrier);
    }
    if (fault == Fault::reads_too_early) sum[thread] = s_tile[thread];
    while (!ptx::mbarrier_try_wait_parity(&s_barrier, 0)) {
    }
    for (int i = thread; i < kSide * kSide; i += kSide) s_tile[i] += 1;
    if (fault != Fault::no_fence) ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (thread == 0) {
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &out, first, s_tile);
        if (fault == Fault::rewrites_tile) s_tile[0] = 0;
        ptx::cp_async_bulk_commit_group();
        if (fault != Fault::store_not_awaited) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
        s_tile[7] = 0;
    }
}
constexpr int kLoad = kBegin + 12;
constexpr int kEarlyRead = kBegin + 15;
constexpr int kIncrement = kBegin + 18;
constexpr int kStore = kBegin + 22;
constexpr int kRewrite = kBegin + 23;
constexpr int kLastWrite = kBegin + 26;

std::vector<Finding> findings_with(Fault fault, int column = 0, int rows = kRows) {
    return findings_of([=] {
        float* const in = device_array<float>(kColumns * kRows);
        float* const out = device_array<float>(kColumns * kRows);
        copy_kernel<<<1, kSide>>>(map_of(in, rows), map_of(out, kRows), column, fault,
                                  device_array<float>(kSide));
    });
}

TEST(TensorCopies, a_load_and_a_store_with_their_waits_and_fences) {
    EXPECT_TRUE(is_silent(findings_with(Fault::none)));
    EXPECT_TRUE(is_silent(findings_with(Fault::none, 8)));
    EXPECT_TRUE(is_silent(findings_with(Fault::none, 30)));
    EXPECT_TRUE(is_silent(findings_with(Fault::none, 50)));
}

TEST(TensorCopies, a_box_that_is_read_before_it_has_arrived) {
    EXPECT_TRUE(
        has(findings_with(Fault::reads_too_early), FindingKind::copy_in_flight, kEarlyRead, kLoad));
}

TEST(TensorCopies, a_box_that_changes_while_it_is_stored) {
    EXPECT_TRUE(
        has(findings_with(Fault::rewrites_tile), FindingKind::copy_in_flight, kRewrite, kStore));
    EXPECT_TRUE(has(findings_with(Fault::store_not_awaited), FindingKind::copy_in_flight,
                    kLastWrite, kStore));
}

TEST(TensorCopies, a_store_without_the_fence_of_the_writers) {
    EXPECT_TRUE(
        has(findings_with(Fault::no_fence), FindingKind::missing_proxy_fence, kStore, kIncrement));
}

TEST(TensorCopies, a_store_that_nobody_waits_for) {
    EXPECT_TRUE(
        has(findings_with(Fault::store_not_awaited), FindingKind::copy_never_awaited, kStore));
}

__global__ void load_kernel(const __grid_constant__ CUtensorMap in, int column, int row) {
    __shared__ alignas(1024) float s_tile[kSide * kSide];
    __shared__ std::uint64_t s_barrier;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&s_barrier, 1);
        const std::int32_t first[] = {column, row};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                       &s_barrier, sizeof s_tile);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s_tile, &in, first,
                                  &s_barrier);
        while (!ptx::mbarrier_try_wait_parity(&s_barrier, 0)) {
        }
    }
}

TEST(TensorCopies, a_map_with_more_rows_than_its_memory) {
    const auto load = [](int rows) {
        return findings_of([rows] {
            load_kernel<<<1, 32>>>(map_of(device_array<float>(kColumns * kRows), rows), 0,
                                   kRows - 16);
        });
    };
    EXPECT_TRUE(is_silent(load(kRows)));
    EXPECT_TRUE(has(load(kRows + 1), FindingKind::out_of_bounds, 0));
}

// A row of the matrix has 160 bytes, so a row of the box may begin in the middle of a sector.
TEST(TensorCopies, one_request_and_the_sectors_of_its_rows) {
    const auto counted = [](int column, int row) {
        const Totals before;
        EXPECT_TRUE(is_silent(findings_of([=] {
            load_kernel<<<1, 32>>>(map_of(device_array<float>(kColumns * kRows), kRows), column,
                                   row);
        })));
        return Totals().since(before, Space::global, EventKind::copy);
    };
    const Counts whole = counted(0, 0);
    EXPECT_EQ(whole.requests, 1u);
    EXPECT_EQ(whole.units, 4u * kSide);
    EXPECT_EQ(whole.bytes, 4u * kSide * kSide);
    const Counts shifted = counted(4, 0);
    EXPECT_EQ(shifted.requests, 1u);
    EXPECT_EQ(shifted.units, 5u * kSide);
    const Counts corner = counted(30, kRows - 10);
    EXPECT_EQ(corner.requests, 1u);
    EXPECT_EQ(corner.units, 10u * 2);
    const Counts outside = counted(kColumns, 0);
    EXPECT_EQ(outside.requests, 1u);
    EXPECT_EQ(outside.units, 0u);
}

}  // namespace
