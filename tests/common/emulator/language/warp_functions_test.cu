// SPDX-License-Identifier: MIT
// Block barriers with a vote and every warp function, against plain loops over the lanes.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "common/cuda/warp_reductions.cuh"
#include "device_array.hpp"

constexpr unsigned int kFull = 0xffffffffu;
constexpr int kLanes = 32;

// Distinct values that use the whole width of the type, exact in each: a product that was rounded
// before the subtraction on one side and not on the other would differ.
template <class T>
__host__ __device__ T value_of_lane(int lane) {
    return static_cast<T>(static_cast<T>(lane * 37 % 32) * static_cast<T>(0x01020300) -
                          static_cast<T>(256));
}

template <class T>
struct Shuffles {
    T direct, up, down, exchanged, rotated;
};

template <class T>
__global__ void shuffle_kernel(Shuffles<T>* out, int width) {
    const int lane = static_cast<int>(threadIdx.x) % kLanes;
    const T value = value_of_lane<T>(lane);
    Shuffles<T> result;
    result.direct = __shfl_sync(kFull, value, 3, width);
    result.up = __shfl_up_sync(kFull, value, 2, width);
    result.down = __shfl_down_sync(kFull, value, 3, width);
    result.exchanged = __shfl_xor_sync(kFull, value, 5, width);
    result.rotated = __shfl_sync(kFull, value, lane + 1, width);
    out[threadIdx.x] = result;
}

template <class T>
class Shuffle : public testing::Test {};
using ShuffledTypes = testing::Types<int, unsigned int, long, unsigned long, long long,
                                     unsigned long long, float, double>;
TYPED_TEST_SUITE(Shuffle, ShuffledTypes);

TYPED_TEST(Shuffle, MovesValuesWithinSegments) {
    using T = TypeParam;
    for (const int width : {32, 16, 8, 4, 2, 1}) {
        DeviceArray<Shuffles<T>> out(2 * kLanes);
        shuffle_kernel<<<1, 2 * kLanes>>>(out.data(), width);
        const auto results = out.read();
        for (int thread = 0; thread < 2 * kLanes; ++thread) {
            const int lane = thread % kLanes;
            const int first = lane / width * width;
            const int last = first + width - 1;
            const auto expected = [](int source) { return value_of_lane<T>(source); };
            const Shuffles<T>& result = results[thread];
            EXPECT_EQ(result.direct, expected(first + 3 % width)) << width << ' ' << lane;
            EXPECT_EQ(result.up, expected(lane - 2 < first ? lane : lane - 2));
            EXPECT_EQ(result.down, expected(lane + 3 > last ? lane : lane + 3));
            EXPECT_EQ(result.exchanged, expected((lane ^ 5) > last ? lane : lane ^ 5));
            EXPECT_EQ(result.rotated, expected(first + (lane + 1) % width));
        }
    }
}

struct Votes {
    unsigned int ballot, active, match_small, match_all_same, match_all_differ;
    int any_none, any_one, all_all, all_but_one, predicate_same, predicate_differ;
    unsigned int match_double, match_long;
};

__global__ void vote_kernel(Votes* out) {
    const int lane = static_cast<int>(threadIdx.x) % kLanes;
    Votes votes;
    votes.active = __activemask();
    votes.ballot = __ballot_sync(kFull, lane % 3 == 0);
    votes.any_none = __any_sync(kFull, 0);
    votes.any_one = __any_sync(kFull, lane == 17);
    votes.all_all = __all_sync(kFull, 2);
    votes.all_but_one = __all_sync(kFull, lane != 17);
    votes.match_small = __match_any_sync(kFull, lane % 5);
    votes.match_double = __match_any_sync(kFull, lane / 8 * 0.5);
    votes.match_long = __match_any_sync(kFull, static_cast<long long>(lane % 2) << 40);
    votes.match_all_same = __match_all_sync(kFull, 12345u, &votes.predicate_same);
    votes.match_all_differ = __match_all_sync(kFull, lane / 31, &votes.predicate_differ);
    out[threadIdx.x] = votes;
}

TEST(WarpFunctions, VotesAndMatches) {
    DeviceArray<Votes> out(2 * kLanes);
    vote_kernel<<<1, 2 * kLanes>>>(out.data());
    const auto results = out.read();
    const auto lanes_where = [](const std::function<bool(int)>& predicate) {
        unsigned int mask = 0;
        for (int lane = 0; lane < kLanes; ++lane) mask |= (predicate(lane) ? 1u : 0u) << lane;
        return mask;
    };
    for (int thread = 0; thread < 2 * kLanes; ++thread) {
        const int lane = thread % kLanes;
        const Votes& votes = results[thread];
        EXPECT_EQ(votes.active, kFull);
        EXPECT_EQ(votes.ballot, lanes_where([](int i) { return i % 3 == 0; }));
        EXPECT_EQ(votes.any_none, 0);
        EXPECT_NE(votes.any_one, 0);
        EXPECT_NE(votes.all_all, 0);
        EXPECT_EQ(votes.all_but_one, 0);
        EXPECT_EQ(votes.match_small, lanes_where([=](int i) { return i % 5 == lane % 5; }));
        EXPECT_EQ(votes.match_double, lanes_where([=](int i) { return i / 8 == lane / 8; }));
        EXPECT_EQ(votes.match_long, lanes_where([=](int i) { return i % 2 == lane % 2; }));
        EXPECT_EQ(votes.match_all_same, kFull);
        EXPECT_NE(votes.predicate_same, 0);
        EXPECT_EQ(votes.match_all_differ, 0u);
        EXPECT_EQ(votes.predicate_differ, 0);
    }
}

struct Reductions {
    int sum, minimum, maximum;
    unsigned int unsigned_sum, unsigned_minimum, unsigned_maximum, all_bits, any_bits, parity;
};

// The lanes of `mask` reduce among themselves, the others among theirs.
__global__ void reduce_kernel(const int* __restrict__ in, Reductions* __restrict__ out,
                              unsigned int mask) {
    const bool is_member = (mask >> threadIdx.x & 1u) != 0;
    const unsigned int group = is_member ? mask : ~mask;
    const int value = in[threadIdx.x];
    const auto bits = static_cast<unsigned int>(value);
    Reductions result;
    result.sum = __reduce_add_sync(group, value);
    result.minimum = __reduce_min_sync(group, value);
    result.maximum = __reduce_max_sync(group, value);
    result.unsigned_sum = __reduce_add_sync(group, bits);
    result.unsigned_minimum = __reduce_min_sync(group, bits);
    result.unsigned_maximum = __reduce_max_sync(group, bits);
    result.all_bits = __reduce_and_sync(group, bits);
    result.any_bits = __reduce_or_sync(group, bits);
    result.parity = __reduce_xor_sync(group, bits);
    out[threadIdx.x] = result;
}

// The same by shuffles, as for GPUs without these instructions.
__global__ void shuffled_reduce_kernel(const int* __restrict__ in, Reductions* __restrict__ out,
                                       unsigned int mask) {
    const bool is_member = (mask >> threadIdx.x & 1u) != 0;
    const unsigned int group = is_member ? mask : ~mask;
    const int value = in[threadIdx.x];
    const auto bits = static_cast<unsigned int>(value);
    Reductions result;
    result.sum = course::reduce_lanes(group, value, course::Add());
    result.minimum = course::reduce_lanes(group, value, course::Least());
    result.maximum = course::reduce_lanes(group, value, course::Greatest());
    result.unsigned_sum = course::reduce_lanes(group, bits, course::Add());
    result.unsigned_minimum = course::reduce_lanes(group, bits, course::Least());
    result.unsigned_maximum = course::reduce_lanes(group, bits, course::Greatest());
    result.all_bits = course::reduce_lanes(group, bits, course::BitAnd());
    result.any_bits = course::reduce_lanes(group, bits, course::BitOr());
    result.parity = course::reduce_lanes(group, bits, course::BitXor());
    out[threadIdx.x] = result;
}

class Reduction : public testing::TestWithParam<decltype(&reduce_kernel)> {};
INSTANTIATE_TEST_SUITE_P(WarpFunctions, Reduction,
                         testing::Values(&reduce_kernel, &shuffled_reduce_kernel));

TEST_P(Reduction, IsRightUnderAnyMask) {
    const auto kernel = GetParam();
    std::vector<int> values;
    for (int i = 0; i < kLanes; ++i) {
        values.push_back(static_cast<int>(2654435761u * static_cast<unsigned int>(i + 1)));
    }
    DeviceArray<int> in(values);
    for (const unsigned int mask : {kFull, 0x0000ffffu, 0x55555555u, 0x80000001u, 0x00010000u}) {
        DeviceArray<Reductions> out(kLanes);
        kernel<<<1, kLanes>>>(in.data(), out.data(), mask);
        const auto results = out.read();
        for (int lane = 0; lane < kLanes; ++lane) {
            Reductions expected{0, INT32_MAX, INT32_MIN, 0, ~0u, 0, ~0u, 0, 0};
            for (int i = 0; i < kLanes; ++i) {
                if ((mask >> i & 1u) != (mask >> lane & 1u)) continue;
                const auto bits = static_cast<unsigned int>(values[i]);
                expected.minimum = std::min(expected.minimum, values[i]);
                expected.maximum = std::max(expected.maximum, values[i]);
                expected.unsigned_sum += bits;
                expected.unsigned_minimum = std::min(expected.unsigned_minimum, bits);
                expected.unsigned_maximum = std::max(expected.unsigned_maximum, bits);
                expected.all_bits &= bits;
                expected.any_bits |= bits;
                expected.parity ^= bits;
            }
            EXPECT_EQ(static_cast<unsigned int>(results[lane].sum), expected.unsigned_sum);
            EXPECT_EQ(results[lane].minimum, expected.minimum);
            EXPECT_EQ(results[lane].maximum, expected.maximum);
            EXPECT_EQ(results[lane].unsigned_sum, expected.unsigned_sum);
            EXPECT_EQ(results[lane].unsigned_minimum, expected.unsigned_minimum);
            EXPECT_EQ(results[lane].unsigned_maximum, expected.unsigned_maximum);
            EXPECT_EQ(results[lane].all_bits, expected.all_bits);
            EXPECT_EQ(results[lane].any_bits, expected.any_bits);
            EXPECT_EQ(results[lane].parity, expected.parity);
        }
    }
}

// A scan of warp sums: shuffles, a barrier and shared memory together, in a block whose last warp
// is not full.
__global__ void scan_kernel(const int* __restrict__ in, int* __restrict__ out, int count) {
    __shared__ int s_sums[kLanes];
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread % kLanes;
    const int warp = thread / kLanes;
    int sum = thread < count ? in[thread] : 0;
    for (int distance = 1; distance < kLanes; distance *= 2) {
        const int other = __shfl_up_sync(kFull, sum, static_cast<unsigned int>(distance));
        if (lane >= distance) sum += other;
    }
    if (lane == kLanes - 1) s_sums[warp] = sum;
    __syncthreads();
    for (int i = 0; i < warp; ++i) sum += s_sums[i];
    if (thread < count) out[thread] = sum;
}

TEST(WarpFunctions, BlockScan) {
    constexpr int kCount = 150;
    std::vector<int> values;
    for (int i = 0; i < kCount; ++i) values.push_back(i * i % 17);
    DeviceArray<int> in(values);
    DeviceArray<int> out(kCount);
    scan_kernel<<<1, 160>>>(in.data(), out.data(), kCount);
    const auto results = out.read();
    int sum = 0;
    for (int i = 0; i < kCount; ++i) {
        sum += values[i];
        EXPECT_EQ(results[i], sum) << i;
    }
}

__global__ void short_warp_kernel(unsigned int* out) {
    const unsigned int present = (1u << blockDim.x) - 1u;
    out[threadIdx.x] = __ballot_sync(present, threadIdx.x % 2 == 0);
    __syncwarp(present);
}

TEST(WarpFunctions, WarpWithFewerThanThirtyTwoLanes) {
    DeviceArray<unsigned int> out(20);
    short_warp_kernel<<<1, 20>>>(out.data());
    for (const unsigned int ballot : out.read()) EXPECT_EQ(ballot, 0x55555u);
}

// Narrow types go through int, as in CUDA.
__global__ void narrow_kernel(int* out) {
    const bool is_odd = threadIdx.x % 2 != 0;
    const auto small = static_cast<short>(-static_cast<int>(threadIdx.x));
    out[threadIdx.x] = __shfl_xor_sync(kFull, is_odd, 1) * 1000 + __shfl_sync(kFull, small, 7);
}

TEST(WarpFunctions, NarrowTypesPromote) {
    DeviceArray<int> out(kLanes);
    narrow_kernel<<<1, kLanes>>>(out.data());
    const auto results = out.read();
    for (int lane = 0; lane < kLanes; ++lane) EXPECT_EQ(results[lane], lane % 2 == 0 ? 993 : -7);
}

struct BlockVotes {
    int count, all_yes, all_no, any_yes, any_no;
};

__global__ void block_vote_kernel(BlockVotes* out) {
    const int thread = static_cast<int>(threadIdx.x);
    BlockVotes votes;
    votes.count = __syncthreads_count(thread % 3 == 0);
    votes.all_yes = __syncthreads_and(thread >= 0);
    votes.all_no = __syncthreads_and(thread != 70);
    votes.any_yes = __syncthreads_or(thread == 70);
    votes.any_no = __syncthreads_or(thread > 1000);
    out[thread] = votes;
}

TEST(BlockBarriers, CountAllAny) {
    constexpr int kThreads = 100;
    DeviceArray<BlockVotes> out(kThreads);
    block_vote_kernel<<<1, kThreads>>>(out.data());
    for (const BlockVotes& votes : out.read()) {
        EXPECT_EQ(votes.count, 34);
        EXPECT_NE(votes.all_yes, 0);
        EXPECT_EQ(votes.all_no, 0);
        EXPECT_NE(votes.any_yes, 0);
        EXPECT_EQ(votes.any_no, 0);
    }
}
