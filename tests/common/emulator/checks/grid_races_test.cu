// SPDX-License-Identifier: MIT
// Races between blocks. Fences with atomics, the grid's barrier and launches order accesses.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include "checks_test.hpp"

namespace {

namespace cg = cooperative_groups;

constexpr int kThreads = 64;
constexpr int kBlocks = 20;
constexpr int kCount = kThreads * kBlocks;

// Every block reads its neighbours' elements and writes its own.
NEXT_LINE(kStencilBegin);
__global__ void stencil_kernel(const int* in, int* out, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int left = in[i > 0 ? i - 1 : 0];
    const int right = in[i + 1 < count ? i + 1 : i];
    out[i] = left + right;  // line 5
}

TEST(GridRaces, a_stencil_in_place) {
    EXPECT_TRUE(is_silent(findings_of([] {
        int* a = device_array<int>(kCount);
        int* b = device_array<int>(kCount);
        for (int i = 0; i < 3; ++i) {
            stencil_kernel<<<kBlocks, kThreads>>>(a, b, kCount);
            stencil_kernel<<<kBlocks, kThreads>>>(b, a, kCount);
        }
    })));
    const auto found = findings_of([] {
        int* a = device_array<int>(kCount);
        stencil_kernel<<<kBlocks, kThreads>>>(a, a, kCount);
    });
    ASSERT_TRUE(has(found, FindingKind::race_between_blocks, 0)) << text_of(found);
    for (const Finding& finding : found) {
        if (finding.kind != FindingKind::race_between_blocks) continue;
        EXPECT_NE(finding.actors[0].block, finding.actors[1].block);
    }
}

// threadFenceReduction from CUDA's samples: the block that finishes last adds up.
enum class Missing { nothing, fence, atomic };

template <Missing kMissing>
__global__ void last_block_kernel(int* sums, unsigned* count, int* total) {
    __shared__ bool s_is_last;
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = blockIdx.x;
        if (kMissing != Missing::fence) __threadfence();
        if (kMissing == Missing::atomic) {
            s_is_last = blockIdx.x == gridDim.x - 1;
        } else {
            s_is_last = atomicInc(count, gridDim.x) == gridDim.x - 1;
        }
    }
    __syncthreads();
    if (s_is_last) {
        int sum = 0;
        for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) sum += sums[i];
        atomicAdd(total, sum);
    }
}

template <Missing kMissing>
std::vector<Finding> run_last_block() {
    return findings_of([] {
        last_block_kernel<kMissing><<<kBlocks, kThreads>>>(
            device_array<int>(kBlocks), device_array<unsigned>(1), device_array<int>(1));
    });
}

TEST(GridRaces, the_last_block_needs_fence_and_atomic) {
    EXPECT_TRUE(is_silent(run_last_block<Missing::nothing>()));
    EXPECT_TRUE(has(run_last_block<Missing::fence>(), FindingKind::race_between_blocks, 0));
    EXPECT_TRUE(has(run_last_block<Missing::atomic>(), FindingKind::race_between_blocks, 0));
}

// All threads write. One fence after the block's barrier covers all their writes.
template <bool kFence>
__global__ void cumulative_kernel(int* values, unsigned* count, int* total) {
    __shared__ bool s_is_last;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    values[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) {
        if (kFence) __threadfence();
        s_is_last = atomicAdd(count, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (s_is_last) {
        int sum = 0;
        for (unsigned j = threadIdx.x; j < gridDim.x * blockDim.x; j += blockDim.x) {
            sum += values[j];
        }
        atomicAdd(total, sum);
    }
}

TEST(GridRaces, a_fence_is_cumulative_over_a_barrier) {
    EXPECT_TRUE(is_silent(findings_of([] {
        cumulative_kernel<true><<<kBlocks, kThreads>>>(
            device_array<int>(kBlocks * kThreads), device_array<unsigned>(1), device_array<int>(1));
    })));
    EXPECT_TRUE(has(findings_of([] {
                        cumulative_kernel<false><<<kBlocks, kThreads>>>(
                            device_array<int>(kBlocks * kThreads), device_array<unsigned>(1),
                            device_array<int>(1));
                    }),
                    FindingKind::race_between_blocks, 0));
}

// Decoupled look-back: each block reads its predecessor's sum after a flag. Blocks are numbered in
// the order of their start, so that the flag is always set.
template <bool kFence>
__global__ void look_back_kernel(unsigned* started, int* sums, volatile int* ready, int* out) {
    __shared__ int s_before;
    if (threadIdx.x == 0) {
        const unsigned block = atomicAdd(started, 1u);
        s_before = block > 0 && ready[block - 1] != 0 ? sums[block - 1] : 0;
        sums[block] = s_before + 1;
        if (kFence) __threadfence();
        ready[block] = 1;
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = s_before;
}

TEST(GridRaces, look_back) {
    EXPECT_TRUE(is_silent(findings_of([] {
        look_back_kernel<true><<<kBlocks, kThreads>>>(
            device_array<unsigned>(1), device_array<int>(kBlocks), device_array<int>(kBlocks),
            device_array<int>(kBlocks * kThreads));
    })));
    EXPECT_TRUE(has(findings_of([] {
                        look_back_kernel<false><<<kBlocks, kThreads>>>(
                            device_array<unsigned>(1), device_array<int>(kBlocks),
                            device_array<int>(kBlocks), device_array<int>(kBlocks * kThreads));
                    }),
                    FindingKind::race_between_blocks, 0));
}

template <bool kSync>
__global__ void cooperative_kernel(int* values, int* out, int count) {
    const cg::grid_group grid = cg::this_grid();
    const int i = static_cast<int>(grid.thread_rank());
    for (int round = 0; round < 3; ++round) {
        values[i] = i + round;
        if (kSync) grid.sync();
        out[i] += values[count - 1 - i];
        if (kSync) grid.sync();
    }
}

template <bool kSync>
void run_cooperative() {
    int count = kBlocks * kThreads;
    int* values = device_array<int>(count);
    int* out = device_array<int>(count);
    void* arguments[] = {&values, &out, &count};
    EXPECT_EQ(cudaLaunchCooperativeKernel(cooperative_kernel<kSync>, kBlocks, kThreads, arguments),
              cudaSuccess);
}

TEST(GridRaces, the_grids_barrier) {
    EXPECT_TRUE(is_silent(findings_of(run_cooperative<true>)));
    EXPECT_TRUE(has(findings_of(run_cooperative<false>), FindingKind::race_between_blocks, 0));
}

__global__ void child_kernel(int* values) { values[threadIdx.x] += 1; }

__global__ void parent_kernel(int* values) {
    values[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        child_kernel<<<1, kThreads>>>(values);
        child_kernel<<<1, kThreads>>>(values);
    }
}

TEST(GridRaces, parent_and_child) {
    EXPECT_TRUE(is_silent(
        findings_of([] { parent_kernel<<<1, kThreads>>>(device_array<int>(kThreads)); })));
}

enum class Before { barrier, nothing, warp_barrier };

// A child grid reads what another thread of its parent wrote.
NEXT_LINE(kReaderBegin);
__global__ void reader_kernel(const int* values, int other, int* out) {
    out[threadIdx.x] = values[other];  // line 1
}

NEXT_LINE(kWriterBegin);
template <Before kBefore>
__global__ void writer_kernel(int* values, int other, int* out, cudaStream_t stream) {
    values[threadIdx.x] = threadIdx.x;  // line 2
    if (kBefore == Before::barrier) __syncthreads();
    if (kBefore == Before::warp_barrier) __syncwarp();
    if (threadIdx.x == 0) reader_kernel<<<1, 1, 0, stream>>>(values, other, out);
}

template <Before kBefore>
std::vector<Finding> run_writer(int other, cudaStream_t stream = nullptr) {
    return findings_of([=] {
        writer_kernel<kBefore>
            <<<1, kThreads>>>(device_array<int>(kThreads), other, device_array<int>(1), stream);
    });
}

// The schedule decides which of the two runs first.
testing::AssertionResult has_either(const std::vector<Finding>& found, int first, int second) {
    const auto one = has(found, FindingKind::race_between_blocks, first, second);
    return one ? one : has(found, FindingKind::race_between_blocks, second, first);
}

TEST(GridRaces, a_child_sees_what_its_launching_thread_sees) {
    EXPECT_TRUE(is_silent(run_writer<Before::barrier>(kThreads - 1)));
    EXPECT_TRUE(is_silent(run_writer<Before::nothing>(0)));
    EXPECT_TRUE(is_silent(run_writer<Before::warp_barrier>(31)));
    for (const int other : {31, kThreads - 1}) {
        const auto found = run_writer<Before::nothing>(other);
        ASSERT_TRUE(has_either(found, kReaderBegin + 1, kWriterBegin + 2)) << text_of(found);
        EXPECT_EQ(found.front().advice, "put __syncthreads() before the launch");
        EXPECT_FALSE(found.front().actors[1].kernel.empty());
    }
    EXPECT_TRUE(
        has_either(run_writer<Before::warp_barrier>(32), kReaderBegin + 1, kWriterBegin + 2));
    EXPECT_TRUE(is_silent(run_writer<Before::nothing>(kThreads - 1, cudaStreamTailLaunch)));
    EXPECT_FALSE(is_silent(run_writer<Before::nothing>(kThreads - 1, cudaStreamFireAndForget)));
}

// The grandchild reads what the block of the first grid wrote.
template <bool kBarrier>
__global__ void grandparent_kernel(int* values, int depth, int* out) {
    if (depth > 0) {
        if (threadIdx.x == 0) grandparent_kernel<kBarrier><<<1, kThreads>>>(values, depth - 1, out);
        return;
    }
    out[threadIdx.x] = values[kThreads - 1 - threadIdx.x];
}

template <bool kBarrier>
__global__ void ancestor_kernel(int* values, int* out) {
    values[threadIdx.x] = threadIdx.x;
    if (kBarrier) __syncthreads();
    if (threadIdx.x == 0) grandparent_kernel<kBarrier><<<1, kThreads>>>(values, 3, out);
}

TEST(GridRaces, grandchildren) {
    EXPECT_TRUE(is_silent(findings_of([] {
        ancestor_kernel<true>
            <<<1, kThreads>>>(device_array<int>(kThreads), device_array<int>(kThreads));
    })));
    EXPECT_TRUE(has(findings_of([] {
                        ancestor_kernel<false><<<1, kThreads>>>(device_array<int>(kThreads),
                                                                device_array<int>(kThreads));
                    }),
                    FindingKind::race_between_blocks, 0));
}

// The last block of the parent launches a grid that reads the sums of all blocks.
template <bool kFence>
__global__ void launching_block_kernel(int* sums, unsigned* count, int* out) {
    if (threadIdx.x != 0) return;
    sums[blockIdx.x] = blockIdx.x;
    if (kFence) __threadfence();
    if (atomicAdd(count, 1) == gridDim.x - 1) {
        for (unsigned i = 0; i < gridDim.x; ++i) reader_kernel<<<1, 1>>>(sums, i, out);
    }
}

TEST(GridRaces, the_last_block_launches) {
    EXPECT_TRUE(is_silent(findings_of([] {
        launching_block_kernel<true><<<kBlocks, kThreads>>>(
            device_array<int>(kBlocks), device_array<unsigned>(1), device_array<int>(1));
    })));
    EXPECT_TRUE(has(findings_of([] {
                        launching_block_kernel<false><<<kBlocks, kThreads>>>(
                            device_array<int>(kBlocks), device_array<unsigned>(1),
                            device_array<int>(1));
                    }),
                    FindingKind::race_between_blocks, 0));
}

// A parent does not wait for its child.
NEXT_LINE(kImpatientBegin);
__global__ void impatient_kernel(int* values) {
    child_kernel<<<1, kThreads>>>(values);
    values[1] = 7;  // line 2
}

TEST(GridRaces, a_parent_goes_on_beside_its_child) {
    const auto found = findings_of([] { impatient_kernel<<<1, 1>>>(device_array<int>(kThreads)); });
    ASSERT_FALSE(found.empty());
    const auto& actors = found.front().actors;
    EXPECT_TRUE(actors[0].line.line == kImpatientBegin + 2 ||
                actors[1].line.line == kImpatientBegin + 2)
        << text_of(found);
    EXPECT_NE(found.front().advice.find("cudaStreamTailLaunch"), std::string::npos);
}

// Two children of one thread write the same word.
enum class Streams { one, two, fire_and_forget, tail };

template <Streams kStreams>
__global__ void siblings_kernel(int* values) {
    cudaStream_t first = nullptr;
    cudaStream_t second = nullptr;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    if (kStreams == Streams::one) second = first;
    if (kStreams == Streams::fire_and_forget) first = second = cudaStreamFireAndForget;
    if (kStreams == Streams::tail) second = cudaStreamTailLaunch;
    child_kernel<<<1, 1, 0, first>>>(values);
    child_kernel<<<1, 1, 0, second>>>(values);
}

template <Streams kStreams>
std::vector<Finding> run_siblings(int blocks = 1) {
    return findings_of([=] { siblings_kernel<kStreams><<<blocks, 1>>>(device_array<int>(1)); });
}

TEST(GridRaces, children_of_two_streams) {
    EXPECT_TRUE(is_silent(run_siblings<Streams::one>()));
    EXPECT_TRUE(is_silent(run_siblings<Streams::tail>()));
    EXPECT_TRUE(has(run_siblings<Streams::two>(), FindingKind::race_between_blocks, 0));
    EXPECT_TRUE(has(run_siblings<Streams::fire_and_forget>(), FindingKind::race_between_blocks, 0));
    EXPECT_TRUE(has(run_siblings<Streams::one>(2), FindingKind::race_between_blocks, 0));
}

// The programming guide's atomic addition of doubles, and a maximum.
__global__ void compare_and_swap_kernel(unsigned long long* sum) {
    unsigned long long old = *sum;
    unsigned long long assumed;
    do {
        assumed = old;
        old = atomicCAS(sum, assumed, assumed + 1);
    } while (assumed != old);
}

TEST(GridRaces, a_guess_that_an_atomic_checks) {
    EXPECT_TRUE(is_silent(findings_of([] {
        compare_and_swap_kernel<<<kBlocks, kThreads>>>(device_array<unsigned long long>(1));
    })));
}

__global__ void histogram_kernel(int* bins) { atomicAdd(&bins[threadIdx.x % 7], 1); }

__global__ void plain_histogram_kernel(int* bins) { bins[threadIdx.x % 7] += 1; }

TEST(GridRaces, histogram) {
    EXPECT_TRUE(is_silent(
        findings_of([] { histogram_kernel<<<kBlocks, kThreads>>>(device_array<int>(7)); })));
    EXPECT_TRUE(has(
        findings_of([] { plain_histogram_kernel<<<kBlocks, kThreads>>>(device_array<int>(7)); }),
        FindingKind::race_in_block, 0));
}

}  // namespace
