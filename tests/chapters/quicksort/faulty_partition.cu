// SPDX-License-Identifier: MIT
// The faults in the partition of Gimeno and Velasco 2024: the CPU engine shows them and, with
// COURSE_COUNTING, names them. The kernel is written anew with the structure of the published one,
// one fault at a time. Stage counting/01 is the correct form.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/cuda/device_buffer.hpp"
#ifdef COURSE_COUNTING
#include "common/emulator/counting/output/findings.hpp"
#else
#include "tests/common/emulator/engine_test.hpp"
#endif

namespace {

using course::cuda_check, course::DeviceBuffer;

constexpr int kThreads = 24;
constexpr int kMaxBlocks = 16;

enum Fault : unsigned {
    kNoFault = 0,
    kNoScan = 1,  // a thread starts at its own count instead of the sum of the counts before it
    kNoBarrier = 2,  // the block's first place is read while thread 0 may be writing it
    kOneKernel = 4  // a block reads the sums of other blocks in the kernel that writes them
};

struct Places {
    int less, greater;
};

// kFirst: counts the keys. kSecond: moves them. The faulty form does both in one launch.
template <bool kFirst, bool kSecond, unsigned kFault>
__global__ void partition_kernel(const int* keys, int* parts, int count, int pivot, Places* sums) {
    __shared__ Places s_counts[kThreads];
    __shared__ Places s_from;
    const int thread = threadIdx.x;
    const int share = (count - 1) / (gridDim.x * kThreads) + 1;
    const int begin = (blockIdx.x * kThreads + thread) * share;
    const int end = min(begin + share, count);
    Places own = {0, 0};
    for (int i = begin; i < end; ++i) {
        own.less += keys[i] < pivot;
        own.greater += keys[i] > pivot;
    }
    s_counts[thread] = own;
    __syncthreads();
    if (thread == 0) {
        Places sum = {0, 0};
        for (int t = 0; t < kThreads; ++t) {
            sum.less += s_counts[t].less;
            sum.greater += s_counts[t].greater;
        }
        if (kFirst) sums[blockIdx.x] = sum;
        s_from = {0, 0};
        for (int b = 0; kSecond && b < static_cast<int>(blockIdx.x); ++b) {
            s_from.less += sums[b].less;
            s_from.greater += sums[b].greater;
        }
    }
    if (!kSecond) return;
    if (!(kFault & kNoBarrier)) __syncthreads();
    Places next = s_from;
    if (kFault & kNoScan) {
        next.less += own.less;
        next.greater += own.greater;
    } else {
        for (int t = 0; t < thread; ++t) {
            next.less += s_counts[t].less;
            next.greater += s_counts[t].greater;
        }
    }
    for (int i = begin; i < end; ++i) {
        if (keys[i] < pivot && next.less < count) parts[next.less++] = keys[i];
        if (keys[i] > pivot && next.greater < count) parts[count - 1 - next.greater++] = keys[i];
    }
    if (blockIdx.x == 0 && thread == 0) {
        Places total = {0, 0};
        for (unsigned b = 0; b < gridDim.x; ++b) {
            total.less += sums[b].less;
            total.greater += sums[b].greater;
        }
        for (int i = total.less; i < count - total.greater; ++i) parts[i] = pivot;
    }
}

// Keys 1 to 9, each many times; the pivot is 5. Zeros are keys that nobody wrote.
std::vector<int> some_keys(int count) {
    std::vector<int> keys(count);
    for (int i = 0; i < count; ++i) keys[i] = 1 + i * 7 % 9;
    return keys;
}

template <unsigned kFault>
std::vector<int> partition(const std::vector<int>& keys, int blocks) {
    const int count = static_cast<int>(keys.size());
    DeviceBuffer<int> d_keys(count), d_parts(count);
    DeviceBuffer<Places> d_sums(kMaxBlocks);
    cuda_check(cudaMemcpy(d_keys.data(), keys.data(), d_keys.bytes(), cudaMemcpyHostToDevice));
    cuda_check(cudaMemset(d_parts.data(), 0, d_parts.bytes()));
    cuda_check(cudaMemset(d_sums.data(), 0, d_sums.bytes()));
    if constexpr ((kFault & kOneKernel) != 0) {
        partition_kernel<true, true, kFault>
            <<<blocks, kThreads>>>(d_keys.data(), d_parts.data(), count, 5, d_sums.data());
    } else {
        partition_kernel<true, false, kFault>
            <<<blocks, kThreads>>>(d_keys.data(), d_parts.data(), count, 5, d_sums.data());
        partition_kernel<false, true, kFault>
            <<<blocks, kThreads>>>(d_keys.data(), d_parts.data(), count, 5, d_sums.data());
    }
    cuda_check(cudaGetLastError());
    std::vector<int> parts(count);
    cuda_check(cudaMemcpy(parts.data(), d_parts.data(), d_parts.bytes(), cudaMemcpyDeviceToHost));
    return parts;
}

#ifdef COURSE_COUNTING

namespace counting = emulator::counting;
using counting::FindingKind;

template <unsigned kFault>
std::vector<counting::Finding> findings_with(int blocks) {
    counting::clear_findings();
    testing::internal::CaptureStderr();
    partition<kFault>(some_keys(254), blocks);
    testing::internal::GetCapturedStderr();
    const std::vector<counting::Finding> found = counting::findings();
    counting::clear_findings();  // so that the process ends with status 0
    return found;
}

bool names(const std::vector<counting::Finding>& findings, FindingKind kind) {
    return std::any_of(findings.begin(), findings.end(),
                       [kind](const counting::Finding& finding) { return finding.kind == kind; });
}

TEST(FaultyPartition, TheCorrectedFormIsSilent) { EXPECT_TRUE(findings_with<kNoFault>(7).empty()); }

TEST(FaultyPartition, TheMissingBarrierIsARaceInTheBlock) {
    EXPECT_TRUE(names(findings_with<kNoBarrier>(1), FindingKind::race_in_block));
}

TEST(FaultyPartition, SumsOfOtherBlocksAreARaceBetweenBlocks) {
    EXPECT_TRUE(names(findings_with<kOneKernel>(7), FindingKind::race_between_blocks));
    EXPECT_TRUE(findings_with<kOneKernel>(1).empty());  // with one block there is no race
}

// Threads that start at their own counts write to the same places: also a race.
TEST(FaultyPartition, WithoutAScanThreadsWriteTheSamePlaces) {
    EXPECT_TRUE(names(findings_with<kNoScan>(1), FindingKind::race_in_block));
}

#else

class FaultyPartition : public EngineTest {
  protected:
    // Whether all keys are still there, each on its side of the pivot.
    template <unsigned kFault>
    static bool is_right(std::string_view schedule, int count, int blocks) {
        use_schedule(schedule);
        std::vector<int> keys = some_keys(count);
        std::vector<int> parts = partition<kFault>(keys, blocks);
        const bool in_parts =
            std::is_partitioned(parts.begin(), parts.end(), [](int key) { return key < 5; }) &&
            std::is_partitioned(parts.begin(), parts.end(), [](int key) { return key <= 5; });
        return in_parts && std::is_permutation(parts.begin(), parts.end(), keys.begin());
    }
};

constexpr std::string_view kSchedules[] = {"in-order", "reversed", "shuffled:1", "shuffled:2"};

TEST_F(FaultyPartition, TheCorrectedFormIsRight) {
    for (const std::string_view schedule : kSchedules) {
        EXPECT_TRUE(is_right<kNoFault>(schedule, 254, 7)) << schedule;
        EXPECT_TRUE(is_right<kNoFault>(schedule, 14, 2)) << schedule;
    }
}

// The published form loses keys in every order: some are there twice, others not at all.
TEST_F(FaultyPartition, AsPublishedItLosesKeys) {
    for (const std::string_view schedule : kSchedules) {
        EXPECT_FALSE((is_right<kNoScan | kNoBarrier | kOneKernel>(schedule, 254, 7))) << schedule;
    }
}

TEST_F(FaultyPartition, WithoutAScanItLosesKeysInAnyOrder) {
    for (const std::string_view schedule : kSchedules) {
        EXPECT_FALSE(is_right<kNoScan>(schedule, 254, 1)) << schedule;
    }
}

// It is right if thread 0 runs first: that is why nobody noticed.
TEST_F(FaultyPartition, WithoutTheBarrierTheOrderOfThreadsDecides) {
    EXPECT_TRUE(is_right<kNoBarrier>("in-order", 254, 7));
    EXPECT_FALSE(is_right<kNoBarrier>("reversed", 254, 7));
}

// It is right if blocks run in order, or if there is only one block, as with few keys.
TEST_F(FaultyPartition, InOneKernelTheOrderOfBlocksDecides) {
    EXPECT_TRUE(is_right<kOneKernel>("in-order", 254, 7));
    EXPECT_FALSE(is_right<kOneKernel>("reversed", 254, 7));
    EXPECT_TRUE(is_right<kOneKernel>("reversed", 254, 1));
}

#endif

}  // namespace
