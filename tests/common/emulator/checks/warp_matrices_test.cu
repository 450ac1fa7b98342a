// SPDX-License-Identifier: MIT
// ldmatrix and stmatrix read and write rows that other lanes wrote or will read: they order nothing
// themselves.
#include <cuda_runtime.h>

#include <cstdint>

#include "checks_test.hpp"

namespace {

constexpr int kThreads = 64;

enum class Fault { none, no_sync_before_load, no_barrier_after_store, odd_row, past_the_end };

NEXT_LINE(kBegin);
__global__ void rows_kernel(const std::uint32_t* in, std::uint32_t* out, Fault fault) {
    __shared__ __align__(16) std::uint32_t s_in[kThreads + 1][4];
    __shared__ __align__(16) std::uint32_t s_out[kThreads][4];
    const unsigned thread = threadIdx.x;
    const unsigned next = thread ^ 1;
    for (int i = 0; i < 4; ++i) s_in[next][i] = in[next * 4 + i];
    if (fault != Fault::no_sync_before_load) __syncwarp();
    auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(s_in[thread]));
    if (fault == Fault::odd_row) address += 8;
    if (fault == Fault::past_the_end) address += kThreads / 2 * 16;
    std::uint32_t r[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address));
    address = static_cast<std::uint32_t>(__cvta_generic_to_shared(s_out[thread]));
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
                 :
                 : "r"(address), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
                 : "memory");
    if (fault != Fault::no_barrier_after_store) __syncthreads();
    for (int i = 0; i < 4; ++i) out[thread * 4 + i] = s_out[kThreads - 1 - thread][i];
}
constexpr int kWrites = kBegin + 5;
constexpr int kLoad = kBegin + 11;
constexpr int kStore = kBegin + 15;
constexpr int kReads = kBegin + 20;

std::vector<Finding> findings_with(Fault fault) {
    return findings_of([fault] {
        rows_kernel<<<1, kThreads>>>(device_array<std::uint32_t>(kThreads * 4, 1),
                                     device_array<std::uint32_t>(kThreads * 4), fault);
    });
}

TEST(WarpMatrices, rows_with_their_barriers) { EXPECT_TRUE(is_silent(findings_with(Fault::none))); }

TEST(WarpMatrices, rows_read_before_other_lanes_have_written_them) {
    EXPECT_TRUE(
        has(findings_with(Fault::no_sync_before_load), FindingKind::race_in_block, kLoad, kWrites));
}

TEST(WarpMatrices, rows_that_another_warp_reads_too_early) {
    const auto found = findings_with(Fault::no_barrier_after_store);
    EXPECT_TRUE(has(found, FindingKind::race_in_block, kReads, kStore) ||
                has(found, FindingKind::race_in_block, kStore, kReads));
}

TEST(WarpMatrices, rows_at_an_odd_address) {
    EXPECT_TRUE(has(findings_with(Fault::odd_row), FindingKind::invalid_call, kLoad));
}

TEST(WarpMatrices, rows_past_the_end_of_the_array) {
    EXPECT_TRUE(has(findings_with(Fault::past_the_end), FindingKind::invalid_call, kLoad));
}

}  // namespace
