// SPDX-License-Identifier: MIT
// Warp collectives, compared with what PTX says about each lane.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "engine_test.hpp"

namespace {

using emulator::WarpOperation;

class WarpTest : public EngineTest {};

__global__ void collective_kernel(WarpOperation operation, std::uint32_t mask, int argument,
                                  int width, std::uint64_t* out) {
    const int lane = threadIdx.x;
    if ((mask >> lane & 1) == 0) return;
    out[lane] = emulator::warp_collective(operation, mask, 1000 + lane * 7 % 32, argument, width);
}

std::vector<std::uint64_t> collective(WarpOperation operation, std::uint32_t mask, int argument = 0,
                                      int width = 32) {
    ManagedArray<std::uint64_t> out(32);
    collective_kernel<<<1, 32>>>(operation, mask, argument, width, out.data());
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    return out.values();
}

std::uint64_t value_of(int lane) { return 1000 + lane * 7 % 32; }

// PTX ISA, "shfl.sync", in its own terms: c holds the segment mask and the clamp.
int ptx_source(WarpOperation operation, int lane, int b, int width) {
    const int segment_mask = 32 - width;
    const int clamp = operation == WarpOperation::shuffle_up ? 0 : 31;
    const int bval = b & 31;
    const int max_lane = (lane & segment_mask) | (clamp & ~segment_mask & 31);
    const int min_lane = lane & segment_mask;
    int j = 0;
    bool valid = false;
    switch (operation) {
        case WarpOperation::shuffle_up:
            j = lane - bval;
            valid = j >= max_lane;
            break;
        case WarpOperation::shuffle_down:
            j = lane + bval;
            valid = j <= max_lane;
            break;
        case WarpOperation::shuffle_xor:
            j = lane ^ bval;
            valid = j <= max_lane;
            break;
        default:
            j = min_lane | (bval & ~segment_mask & 31);
            valid = j <= max_lane;
            break;
    }
    return valid ? j : lane;
}

TEST_F(WarpTest, shuffles_read_the_lane_that_ptx_says) {
    for (const auto operation : {WarpOperation::shuffle, WarpOperation::shuffle_up,
                                 WarpOperation::shuffle_down, WarpOperation::shuffle_xor}) {
        for (int width = 1; width <= 32; width *= 2) {
            for (const int operand : {0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, -1}) {
                const auto out = collective(operation, 0xffffffff, operand, width);
                for (int lane = 0; lane < 32; ++lane) {
                    ASSERT_EQ(out[lane], value_of(ptx_source(operation, lane, operand, width)))
                        << "operation " << static_cast<int>(operation) << " width " << width
                        << " operand " << operand << " lane " << lane;
                }
            }
        }
    }
}

TEST_F(WarpTest, reductions_votes_and_matches_cover_the_mask_only) {
    for (const std::uint32_t mask : {0xffffffffu, 0x1u, 0x80000001u, 0x0ff0ff00u}) {
        std::uint64_t sum = 0, low = ~0ull, high = 0, all_and = ~0ull, all_or = 0, all_xor = 0;
        for (int lane = 0; lane < 32; ++lane) {
            if ((mask >> lane & 1) == 0) continue;
            sum += value_of(lane);
            low = std::min(low, value_of(lane));
            high = std::max(high, value_of(lane));
            all_and &= value_of(lane);
            all_or |= value_of(lane);
            all_xor ^= value_of(lane);
        }
        const std::pair<WarpOperation, std::uint64_t> expected[] = {
            {WarpOperation::ballot, mask},
            {WarpOperation::reduce_add, sum},
            {WarpOperation::reduce_min_signed, low},
            {WarpOperation::reduce_max_signed, high},
            {WarpOperation::reduce_min_unsigned, low},
            {WarpOperation::reduce_max_unsigned, high},
            {WarpOperation::reduce_and, all_and},
            {WarpOperation::reduce_or, all_or},
            {WarpOperation::reduce_xor, all_xor},
            {WarpOperation::match_all, (mask & (mask - 1)) == 0 ? mask : 0},
        };
        for (const auto& [operation, result] : expected) {
            const auto out = collective(operation, mask);
            for (int lane = 0; lane < 32; ++lane) {
                ASSERT_EQ(out[lane], (mask >> lane & 1) != 0 ? result : 0)
                    << "operation " << static_cast<int>(operation) << " mask " << mask;
            }
        }
        const auto matches = collective(WarpOperation::match_any, mask);
        for (int lane = 0; lane < 32; ++lane) {
            ASSERT_EQ(matches[lane], (mask >> lane & 1) != 0 ? 1ull << lane : 0);
        }
    }
}

__global__ void signed_extremes_kernel(int* out) {
    const int lane = threadIdx.x;
    const auto bits = static_cast<std::uint32_t>(lane % 2 == 0 ? -lane : lane);
    const auto reduce = [&](WarpOperation operation) {
        return static_cast<int>(emulator::warp_collective(operation, 0xffffffff, bits, 0, 32));
    };
    if (lane == 0) out[0] = 0;
    const int low = reduce(WarpOperation::reduce_min_signed);
    const int high = reduce(WarpOperation::reduce_max_signed);
    const int high_unsigned = reduce(WarpOperation::reduce_max_unsigned);
    if (lane == 17) {
        out[0] = low;
        out[1] = high;
        out[2] = high_unsigned;
    }
}

TEST_F(WarpTest, signed_reductions_know_the_sign) {
    ManagedArray<int> out(3);
    signed_extremes_kernel<<<1, 32>>>(out.data());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(out[0], -30);
    EXPECT_EQ(out[1], 31);
    EXPECT_EQ(out[2], -2);
}

__global__ void two_halves_kernel(int* out) {
    const int lane = threadIdx.x % 32;
    int value = lane;
    // The halves of a warp, each at its own speed, and in a partial warp.
    if (lane < 16) {
        for (int i = 0; i < 3; ++i) value += __shfl_xor_sync(0x0000ffff, value, 1);
    } else {
        for (int i = 0; i < 5; ++i) value += __shfl_xor_sync(0xffff0000, value, 1);
    }
    __syncwarp();
    out[threadIdx.x] = value;
}

TEST_F(WarpTest, halves_of_a_warp_meet_apart) {
    for (const char* schedule : kSchedules) {
        use_schedule(schedule);
        ManagedArray<int> out(96);
        two_halves_kernel<<<1, 96>>>(out.data());
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        for (int i = 0; i < 96; ++i) {
            const int pair = i % 32 / 2 * 4 + 1;
            ASSERT_EQ(out[i], i % 32 < 16 ? pair * 4 : pair * 16) << schedule << " " << i;
        }
    }
}

__global__ void warp_sum_kernel(int* out, int rounds) {
    int value = threadIdx.x;
    for (int round = 0; round < rounds; ++round) {
        int sum = value;
        for (int distance = 16; distance > 0; distance /= 2) {
            sum += __shfl_down_sync(0xffffffff, sum, distance);
        }
        value = __shfl_sync(0xffffffff, sum, 0) % 1000;
        if (round % 2 == 0) __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

TEST_F(WarpTest, collectives_and_barriers_mix_in_every_schedule) {
    std::vector<int> first;
    for (const char* schedule : kSchedules) {
        use_schedule(schedule, 2);
        ManagedArray<int> out(4 * 128);
        warp_sum_kernel<<<4, 128>>>(out.data(), 9);
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        if (first.empty()) first = out.values();
        EXPECT_EQ(out.values(), first) << schedule;
    }
    EXPECT_EQ(first[0], first[31]);
    EXPECT_NE(first[0], first[32]);
}

__global__ void active_lanes_kernel(unsigned* out) {
    if (threadIdx.x % 2 == 0) return;
    __syncwarp(0xaaaaaaaa);
    out[threadIdx.x] = emulator::active_mask();
    __syncwarp(0xaaaaaaaa);
}

TEST_F(WarpTest, active_lanes_are_those_that_have_not_returned) {
    ManagedArray<unsigned> out(32);
    active_lanes_kernel<<<1, 32>>>(out.data());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(out[1], 0xaaaaaaaau);
    EXPECT_EQ(out[31], 0xaaaaaaaau);
}

__global__ void wrong_mask_kernel() {
    if (threadIdx.x < 16) __shfl_sync(0xffff0000, 1, 0);
}

TEST_F(WarpTest, a_mask_without_the_calling_lane_is_an_error) {
    wrong_mask_kernel<<<1, 32>>>();
    const std::string said =
        messages_of([] { EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure); });
    EXPECT_TRUE(contains(said,
                         "wrong_mask_kernel, block (0,0,0), thread (0,0,0): called __shfl_sync() "
                         "with mask 0xffff0000, which does not include its own lane"));
}

__global__ void different_operations_kernel() {
    if (threadIdx.x < 16) {
        __shfl_xor_sync(0xffffffff, 1, 1);
    } else {
        __ballot_sync(0xffffffff, 1);
    }
}

TEST_F(WarpTest, lanes_in_different_functions_never_meet) {
    different_operations_kernel<<<1, 32>>>();
    const std::string said =
        messages_of([] { EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure); });
    EXPECT_TRUE(contains(said,
                         "threads 0-15 in __shfl_xor_sync() with mask 0xffffffff, which threads "
                         "16-31 never reached"));
    EXPECT_TRUE(contains(said, "threads 16-31 in a vote"));
}

}  // namespace
