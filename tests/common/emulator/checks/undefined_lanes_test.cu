// SPDX-License-Identifier: MIT
// Values from lanes that do not execute the same warp function.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

#include "checks_test.hpp"

namespace {

constexpr unsigned kAll = 0xffffffffu;

std::vector<Finding> found_in(void (*kernel)(int*, int), int count, int threads = 32) {
    return findings_of([&] { kernel<<<1, threads>>>(device_array<int>(threads), count); });
}

testing::AssertionResult is_undefined(const std::vector<Finding>& findings, int line) {
    return has(findings, FindingKind::undefined_lane, line);
}

// ---- lanes that have ended, or never existed

NEXT_LINE(kReturnBegin);
__global__ void return_kernel(int* out, int count) {
    const int lane = threadIdx.x;
    if (lane >= count) return;
    int sum = lane;
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(kAll, sum, d);
    if (lane == 0) *out = sum;
}
NEXT_LINE(kTailBegin);
__global__ void tail_kernel(int* out, int count) {
    const int i = threadIdx.x;
    if (i < count) {
        int sum = i;
        for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(kAll, sum, d);
        out[i] = sum;
    }
}
NEXT_LINE(kBroadcastBegin);
__global__ void broadcast_kernel(int* out, int count) {
    if (static_cast<int>(threadIdx.x) < count) return;
    out[threadIdx.x] = __shfl_sync(kAll, static_cast<int>(threadIdx.x), 0);
}

TEST(UndefinedLanes, lanes_that_have_ended) {
    for (const auto& [kernel, line] :
         {std::pair(&return_kernel, kReturnBegin + 4), std::pair(&tail_kernel, kTailBegin + 4)}) {
        EXPECT_TRUE(is_silent(found_in(kernel, 32)));
        for (const int count : {31, 20, 8, 2}) {
            EXPECT_TRUE(is_undefined(found_in(kernel, count), line)) << count;
        }
    }
    EXPECT_TRUE(is_silent(found_in(broadcast_kernel, 0)));
    const auto found = found_in(broadcast_kernel, 1);
    ASSERT_TRUE(is_undefined(found, kBroadcastBegin + 2));
    EXPECT_EQ(found[0].actors[0].thread, 1);
    EXPECT_NE(found[0].what.find("lane 0: that lane has ended"), std::string::npos);
    // 48 threads: the second warp has 16.
    EXPECT_TRUE(is_undefined(found_in(tail_kernel, 48, 48), kTailBegin + 4));
}

// ---- outside of the mask

NEXT_LINE(kMaskBegin);
__global__ void mask_kernel(int* out, int count) {
    const int lane = threadIdx.x;
    const unsigned mask = __ballot_sync(kAll, lane < count);
    if (lane >= count) return;
    int sum = lane;
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(mask, sum, d);
    if (lane == 0) *out = sum;
}

TEST(UndefinedLanes, lanes_outside_of_the_mask) {
    EXPECT_TRUE(is_silent(found_in(mask_kernel, 32)));
    for (const int count : {24, 12, 8, 5}) {
        EXPECT_TRUE(is_undefined(found_in(mask_kernel, count), kMaskBegin + 5)) << count;
    }
}

// ---- another branch

NEXT_LINE(kBranchBegin);
__global__ void branch_kernel(int* out, int count) {
    const int lane = threadIdx.x;
    if (lane < count) {
        out[lane] = __shfl_sync(kAll, lane, 31);
    } else {
        out[lane] = __shfl_sync(kAll, lane + 100, 0) + 1;
    }
}
NEXT_LINE(kVoteBegin);
__global__ void vote_kernel(int* out, int count) {
    const int lane = threadIdx.x;
    if (lane < count) {
        out[lane] = __ballot_sync(kAll, lane & 1);
    } else {
        out[lane] = __ballot_sync(kAll, lane & 2) + 1;
    }
}

TEST(UndefinedLanes, lanes_in_another_branch) {
    const auto found = found_in(branch_kernel, 16);
    ASSERT_TRUE(is_undefined(found, kBranchBegin + 3));
    EXPECT_NE(found[0].what.find(":" + std::to_string(kBranchBegin + 5)), std::string::npos);
    EXPECT_TRUE(is_silent(found_in(branch_kernel, 32)));
    EXPECT_TRUE(has(found_in(vote_kernel, 16), FindingKind::undefined_lane, 0));
}

// ---- right programs

// The value is used only if the lane that it comes from takes part.
__global__ void guarded_kernel(int* out, int count) {
    const int lane = threadIdx.x;
    if (lane >= count) return;
    int sum = lane;
    for (int d = 16; d > 0; d /= 2) {
        const int other = __shfl_down_sync(kAll, sum, d);
        if (lane + d < count) sum += other;
    }
    if (lane == 0) *out = sum;
}
__global__ void guarded_pair_kernel(int* out, int count) {
    const int lane = threadIdx.x;
    const unsigned mask = __ballot_sync(kAll, lane < count);
    int value = lane * 37 % 101, index = lane;
    if (lane < count) {
        for (int d = 1; d < 32; d *= 2) {
            const int other = __shfl_down_sync(mask, value, d);
            const int at = __shfl_down_sync(mask, index, d);
            if (lane + d < count && other > value) {
                value = other;
                index = at;
            }
        }
        if (lane == 0) *out = index;
    }
}
// The mask has the lanes whose values reach lane 0.
__global__ void half_kernel(int* out, int) {
    const int lane = threadIdx.x;
    if (lane < 16) {
        int sum = lane;
        for (int d = 8; d > 0; d /= 2) sum += __shfl_down_sync(0xffffu, sum, d);
        if (lane == 0) *out = sum;
    }
}
__global__ void small_block_kernel(int* out, int) {
    int sum = threadIdx.x;
    for (int d = 8; d > 0; d /= 2) sum += __shfl_down_sync(kAll, sum, d);
    if (threadIdx.x == 0) *out = sum;
}
// A lane beyond its segment gives the own value.
__global__ void scan_kernel(int* out, int) {
    const int lane = threadIdx.x;
    int sum = lane;
    for (int d = 1; d < 8; d *= 2) {
        const int other = __shfl_up_sync(kAll, sum, d, 8);
        if (lane % 8 >= d) sum += other;
    }
    out[lane] = sum + __shfl_down_sync(kAll, sum, 1) + __shfl_down_sync(kAll, sum, 4, 8);
}
// Votes leave out the lanes that have ended.
__global__ void votes_kernel(int* out, int count) {
    const int lane = threadIdx.x;
    if (lane >= count) return;
    out[lane] = __popc(__ballot_sync(kAll, 1)) + __all_sync(kAll, lane < count) +
                __popc(__match_any_sync(kAll, lane / 2)) + __reduce_add_sync(kAll, lane);
}
// One call in a function, and groups of lanes.
__device__ int total_of(int value, unsigned mask) {
    for (int d = 16; d > 0; d /= 2) value += __shfl_xor_sync(mask, value, d);
    return value;
}
__global__ void function_kernel(int* out, int count) {
    const int lane = threadIdx.x;
    int total = total_of(lane, kAll);
    if (lane < count) total += total_of(lane, kAll);
    namespace cg = cooperative_groups;
    if (lane < 12) {
        const auto group = cg::coalesced_threads();
        total += cg::reduce(group, lane, cg::plus<int>());
        total += group.shfl_down(total, 3) + group.shfl_up(total, 2);
    }
    out[lane] = total;
}

TEST(UndefinedLanes, right_programs) {
    for (const int count : {32, 31, 20, 16, 8, 2, 1}) {
        EXPECT_TRUE(is_silent(found_in(guarded_kernel, count))) << count;
        EXPECT_TRUE(is_silent(found_in(guarded_pair_kernel, count))) << count;
        EXPECT_TRUE(is_silent(found_in(votes_kernel, count))) << count;
    }
    EXPECT_TRUE(is_silent(found_in(half_kernel, 0)));
    EXPECT_TRUE(is_silent(found_in(small_block_kernel, 0, 16)));
    EXPECT_TRUE(is_silent(found_in(scan_kernel, 0)));
    EXPECT_TRUE(is_silent(found_in(function_kernel, 32)));
}

}  // namespace
