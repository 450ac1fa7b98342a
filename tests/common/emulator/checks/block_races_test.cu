// SPDX-License-Identifier: MIT
// Races within a block: each missing barrier or atomic is found, and nothing else.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include "checks_test.hpp"

namespace {

namespace cg = cooperative_groups;

constexpr int kThreads = 256;
constexpr unsigned kFullMask = 0xffffffffu;

NEXT_LINE(kReduceBegin);
template <bool kBarrier>
__global__ void reduce_kernel(int* sum) {
    __shared__ int s_values[kThreads];
    const int t = threadIdx.x;
    s_values[t] = t;
    __syncthreads();
    for (int stride = kThreads / 2; stride > 0; stride /= 2) {
        if (t < stride) s_values[t] += s_values[t + stride];  // line 7
        if (kBarrier) __syncthreads();
    }
    if (t == 0) *sum = s_values[0];
}

TEST(BlockRaces, tree_reduction) {
    EXPECT_TRUE(
        is_silent(findings_of([] { reduce_kernel<true><<<1, kThreads>>>(device_array<int>(1)); })));
    const auto found =
        findings_of([] { reduce_kernel<false><<<1, kThreads>>>(device_array<int>(1)); });
    EXPECT_TRUE(has(found, FindingKind::race_in_block, kReduceBegin + 7, kReduceBegin + 7));
    EXPECT_EQ(found.front().kernel, "reduce_kernel<false>");
}

// Thread t reads the element that its neighbour wrote.
NEXT_LINE(kShiftBegin);
template <bool kBarrier>
__global__ void shift_kernel(int* out) {
    __shared__ int s_values[kThreads];
    const int t = threadIdx.x;
    s_values[t] = t;
    if (kBarrier) __syncthreads();
    out[t] = s_values[(t + 1) % kThreads];
}

TEST(BlockRaces, read_of_what_another_thread_wrote) {
    EXPECT_TRUE(is_silent(
        findings_of([] { shift_kernel<true><<<1, kThreads>>>(device_array<int>(kThreads)); })));
    const auto found =
        findings_of([] { shift_kernel<false><<<1, kThreads>>>(device_array<int>(kThreads)); });
    ASSERT_TRUE(has(found, FindingKind::race_in_block, kShiftBegin + 6, kShiftBegin + 4));
    for (const Finding& finding : found) {
        EXPECT_EQ(finding.kind, FindingKind::race_in_block) << text_of(found);
        const int reader =
            finding.actors[finding.actors[0].line.line == kShiftBegin + 6 ? 0 : 1].thread;
        const int writer =
            finding.actors[finding.actors[0].line.line == kShiftBegin + 6 ? 1 : 0].thread;
        EXPECT_EQ((reader + 1) % kThreads, writer);
    }
}

// Warp-synchronous code: in each step a thread reads its neighbour's value and then writes its own.
NEXT_LINE(kWarpBegin);
template <int kSyncs>
__global__ void warp_scan_kernel(int* out) {
    __shared__ int s_values[32];
    const int t = threadIdx.x;
    s_values[t] = 1;
    for (int distance = 1; distance < 32; distance *= 2) {
        if (kSyncs > 0) __syncwarp();
        const int before = t >= distance ? s_values[t - distance] : 0;
        if (kSyncs > 1) __syncwarp();
        s_values[t] += before;  // line 9
    }
    out[t] = s_values[t];
}

TEST(BlockRaces, a_warp_needs_syncwarp) {
    EXPECT_TRUE(
        is_silent(findings_of([] { warp_scan_kernel<2><<<1, 32>>>(device_array<int>(32)); })));
    EXPECT_TRUE(has(findings_of([] { warp_scan_kernel<1><<<1, 32>>>(device_array<int>(32)); }),
                    FindingKind::race_in_block, kWarpBegin + 9, kWarpBegin + 7));
    EXPECT_TRUE(has(findings_of([] { warp_scan_kernel<0><<<1, 32>>>(device_array<int>(32)); }),
                    FindingKind::race_in_block, 0));
}

// Tiles of 16: each half of a warp synchronises on its own.
template <unsigned kTile>
__global__ void tile_kernel(int* out) {
    __shared__ int s_values[64];
    const auto tile = cg::tiled_partition<kTile>(cg::this_thread_block());
    const int t = threadIdx.x;
    s_values[t] = t;
    tile.sync();
    // A neighbour in the same tile of 16.
    out[t] = s_values[t ^ 15];
}

TEST(BlockRaces, tiles_order_their_own_lanes) {
    EXPECT_TRUE(is_silent(findings_of([] { tile_kernel<16><<<1, 64>>>(device_array<int>(64)); })));
    EXPECT_TRUE(is_silent(findings_of([] { tile_kernel<32><<<1, 64>>>(device_array<int>(64)); })));
    EXPECT_TRUE(has(findings_of([] { tile_kernel<8><<<1, 64>>>(device_array<int>(64)); }),
                    FindingKind::race_in_block, 0));
}

// A shuffle exchanges values. It does not order memory.
__global__ void shuffle_kernel(int* out) {
    __shared__ int s_values[32];
    const int t = threadIdx.x;
    s_values[t] = t;
    const int other = __shfl_xor_sync(kFullMask, t, 1);
    out[t] = s_values[other];
}

TEST(BlockRaces, a_shuffle_is_no_barrier) {
    EXPECT_TRUE(has(findings_of([] { shuffle_kernel<<<1, 32>>>(device_array<int>(32)); }),
                    FindingKind::race_in_block, 0));
}

template <bool kZeroed, bool kCounted>
__global__ void histogram_kernel(const int* values, int count, int* bins) {
    __shared__ int s_bins[kThreads];
    const int t = threadIdx.x;
    s_bins[t] = 0;
    if (kZeroed) __syncthreads();
    for (int i = blockIdx.x * blockDim.x + t; i < count; i += gridDim.x * blockDim.x) {
        atomicAdd(&s_bins[values[i] % kThreads], 1);
    }
    if (kCounted) __syncthreads();
    atomicAdd(&bins[t], s_bins[t]);
}

__global__ void spread_kernel(int* values) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    values[i] = i * 7919;
}

template <bool kZeroed, bool kCounted>
void run_histogram() {
    constexpr int kCount = 4096;
    int* values = device_array<int>(kCount);
    spread_kernel<<<kCount / kThreads, kThreads>>>(values);
    histogram_kernel<kZeroed, kCounted>
        <<<4, kThreads>>>(values, kCount, device_array<int>(kThreads));
}

TEST(BlockRaces, histogram) {
    EXPECT_TRUE(is_silent(findings_of(run_histogram<true, true>)));
    EXPECT_TRUE(has(findings_of(run_histogram<false, true>), FindingKind::race_in_block, 0));
    EXPECT_TRUE(has(findings_of(run_histogram<true, false>), FindingKind::race_in_block, 0));
}

// Two buffers need one barrier per iteration.
template <int kBuffers>
__global__ void ring_kernel(int* out) {
    __shared__ int s_values[kBuffers][kThreads];
    const int t = threadIdx.x;
    int sum = 0;
    for (int i = 0; i < 4; ++i) {
        s_values[i % kBuffers][t] = i + t;
        __syncthreads();
        sum += s_values[i % kBuffers][(t + 1) % kThreads];
    }
    out[t] = sum;
}

TEST(BlockRaces, double_buffering) {
    EXPECT_TRUE(is_silent(
        findings_of([] { ring_kernel<2><<<1, kThreads>>>(device_array<int>(kThreads)); })));
    EXPECT_TRUE(
        has(findings_of([] { ring_kernel<1><<<1, kThreads>>>(device_array<int>(kThreads)); }),
            FindingKind::race_in_block, 0));
}

// Neighbouring bytes of one word.
__global__ void bytes_kernel(unsigned char* out, short* halves) {
    __shared__ unsigned char s_bytes[kThreads];
    const int t = threadIdx.x;
    s_bytes[t] = static_cast<unsigned char>(t);
    s_bytes[t] += 1;
    __syncthreads();
    out[t] = s_bytes[kThreads - 1 - t];
    halves[t] = static_cast<short>(t);
    halves[t] += 1;
}

__global__ void same_byte_kernel(unsigned char* out) { out[threadIdx.x / 2] = threadIdx.x % 2; }

TEST(BlockRaces, bytes_of_one_word_are_different_places) {
    EXPECT_TRUE(is_silent(findings_of([] {
        bytes_kernel<<<1, kThreads>>>(device_array<unsigned char>(kThreads),
                                      device_array<short>(kThreads));
    })));
}

NEXT_LINE(kFlagBegin);
__global__ void flag_kernel(int* flag, const int* values) {
    if (values[threadIdx.x] == 0) *flag = 1;
}

TEST(BlockRaces, same_value_is_a_warning) {
    const auto found = findings_of(
        [] { flag_kernel<<<1, kThreads>>>(device_array<int>(1), device_array<int>(kThreads)); });
    ASSERT_EQ(found.size(), 1u) << text_of(found);
    EXPECT_TRUE(has(found, FindingKind::same_value_writes, kFlagBegin + 1, kFlagBegin + 1));
}

__global__ void different_values_kernel(int* out) { *out = threadIdx.x; }

TEST(BlockRaces, lanes_of_one_store_race) {
    EXPECT_TRUE(has(findings_of([] { different_values_kernel<<<1, 32>>>(device_array<int>(1)); }),
                    FindingKind::race_in_block, 0));
    EXPECT_TRUE(
        has(findings_of([] { same_byte_kernel<<<1, 32>>>(device_array<unsigned char>(32)); }),
            FindingKind::race_in_block, 0));
}

// The warp of a block that arrives last adds up: a fence, then an atomic.
template <bool kFence>
__global__ void last_warp_kernel(int* sum) {
    __shared__ int s_sums[kThreads / 32];
    __shared__ unsigned s_count;
    const int t = threadIdx.x;
    if (t == 0) s_count = 0;
    __syncthreads();
    const int warp_sum = __reduce_add_sync(kFullMask, t);
    unsigned last = 0;
    if (t % 32 == 0) {
        s_sums[t / 32] = warp_sum;
        if (kFence) __threadfence_block();
        last = atomicAdd(&s_count, 1) == kThreads / 32 - 1;
        if (last != 0) {
            int total = 0;
            for (int i = 0; i < kThreads / 32; ++i) total += s_sums[i];
            *sum = total;
        }
    }
}

TEST(BlockRaces, fence_and_atomic_order_warps) {
    EXPECT_TRUE(is_silent(
        findings_of([] { last_warp_kernel<true><<<1, kThreads>>>(device_array<int>(1)); })));
    EXPECT_TRUE(
        has(findings_of([] { last_warp_kernel<false><<<1, kThreads>>>(device_array<int>(1)); }),
            FindingKind::race_in_block, 0));
}

__global__ void early_return_kernel(const int* in, int* out, int count) {
    __shared__ int s_values[kThreads];
    const int t = threadIdx.x;
    if (t >= count) return;
    s_values[t] = in[t];
    __syncthreads();
    out[t] = s_values[count - 1 - t];
}

// They cause no race. (The guide leaves such a barrier undefined, so there is a warning.)
TEST(BlockRaces, threads_that_returned_need_not_come) {
    const std::vector<Finding> findings = findings_of([] {
        early_return_kernel<<<1, kThreads>>>(device_array<int>(kThreads),
                                             device_array<int>(kThreads), 100);
    });
    EXPECT_EQ(findings.size(), 1);
    EXPECT_TRUE(has(findings, FindingKind::barrier_after_end, 0));
}

__constant__ int c_table[4] = {1, 2, 3, 4};
__device__ int d_total;
__device__ int d_values[kThreads];

__global__ void variables_kernel() {
    d_values[threadIdx.x] = c_table[threadIdx.x % 4];
    atomicAdd(&d_total, d_values[threadIdx.x]);
}

__global__ void racy_variable_kernel() { d_total += c_table[threadIdx.x % 4]; }

TEST(BlockRaces, device_and_constant_variables) {
    EXPECT_TRUE(is_silent(findings_of([] { variables_kernel<<<1, kThreads>>>(); })));
    EXPECT_TRUE(has(findings_of([] { racy_variable_kernel<<<1, kThreads>>>(); }),
                    FindingKind::race_in_block, 0));
}

// Volatile flags of global memory do not race with each other (shared memory: volatile_test.cu).
__global__ void volatile_kernel(volatile int* flags, int* out) {
    flags[threadIdx.x] = 1;
    out[threadIdx.x] = flags[(threadIdx.x + 40) % kThreads];
}

TEST(BlockRaces, volatile_accesses_of_global_memory_do_not_race) {
    EXPECT_TRUE(is_silent(findings_of([] {
        volatile_kernel<<<1, kThreads>>>(device_array<int>(kThreads), device_array<int>(kThreads));
    })));
}

__global__ void dynamic_kernel(int* out) {
    extern __shared__ int s_all[];
    int* s_left = s_all;
    int* s_right = s_all + blockDim.x;
    s_left[threadIdx.x] = threadIdx.x;
    s_right[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s_left[blockDim.x - 1 - threadIdx.x] + s_right[0];
}

TEST(BlockRaces, dynamic_shared_memory) {
    EXPECT_TRUE(is_silent(findings_of([] {
        int* out = device_array<int>(kThreads);
        dynamic_kernel<<<1, 64, 2 * 64 * sizeof(int)>>>(out);
        dynamic_kernel<<<1, kThreads, 2 * kThreads * sizeof(int)>>>(out);
        dynamic_kernel<<<1, 96, 2 * 96 * sizeof(int)>>>(out);
    })));
}

}  // namespace
