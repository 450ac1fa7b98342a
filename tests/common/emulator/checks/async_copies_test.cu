// SPDX-License-Identifier: MIT
// Asynchronous copies by the pipeline primitives: forgotten waits and barriers, disturbed sources.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <algorithm>

#include "checks_test.hpp"

namespace {

constexpr int kThreads = 64;
constexpr int kTiles = 6;

// Each tile is read in reverse, so that a thread reads what another warp's thread copied.
NEXT_LINE(kRingBegin);
template <int kStages, int kPrior, bool kBarrier>
__global__ void ring_kernel(const int* in, int* out) {
    __shared__ int s_ring[kStages][kThreads];
    const int thread = static_cast<int>(threadIdx.x);
    for (int tile = 0; tile < kStages - 1; ++tile) {
        __pipeline_memcpy_async(&s_ring[tile][thread], &in[tile * kThreads + thread], 4);
        __pipeline_commit();
    }
    for (int tile = 0; tile < kTiles; ++tile) {
        __pipeline_wait_prior(kPrior);
        if (kBarrier) __syncthreads();
        const int next = tile + kStages - 1;
        const int stage = next % kStages;
        if (next < kTiles) {
            __pipeline_memcpy_async(&s_ring[stage][thread], &in[next * kThreads + thread], 4);
        }
        __pipeline_commit();
        out[tile * kThreads + thread] = s_ring[tile % kStages][kThreads - 1 - thread];
    }
}
constexpr int kFirstCopies = kRingBegin + 5;
constexpr int kNextCopies = kRingBegin + 14;
constexpr int kRingReads = kRingBegin + 17;

template <int kStages, int kPrior, bool kBarrier>
std::vector<Finding> ring_findings() {
    return findings_of([] {
        const int* const in = device_array<int>(kTiles * kThreads, 1);
        ring_kernel<kStages, kPrior, kBarrier>
            <<<1, kThreads>>>(in, device_array<int>(kTiles * kThreads));
    });
}

TEST(AsyncCopyChecks, a_ring_with_its_waits_and_barriers) {
    const auto four = ring_findings<4, 2, true>();
    EXPECT_TRUE(is_silent(four));
    const auto two = ring_findings<2, 0, true>();
    EXPECT_TRUE(is_silent(two));
}

TEST(AsyncCopyChecks, a_wait_for_too_few_groups) {
    const auto found = ring_findings<4, 3, true>();
    EXPECT_TRUE(has(found, FindingKind::copy_in_flight, kRingReads, kFirstCopies));
    EXPECT_TRUE(has(found, FindingKind::copy_in_flight, kRingReads, kNextCopies));
}

TEST(AsyncCopyChecks, no_barrier_before_other_threads_read) {
    const auto found = ring_findings<4, 2, false>();
    EXPECT_TRUE(has(found, FindingKind::race_in_block, kRingReads, kNextCopies));
}

// The ring has one buffer too few: the copy overwrites what slow threads still read.
NEXT_LINE(kOverwriteBegin);
__global__ void overwrite_kernel(const int* in, int* out) {
    __shared__ int s_tile[kThreads];
    const int thread = static_cast<int>(threadIdx.x);
    for (int tile = 0; tile < kTiles; ++tile) {
        __pipeline_memcpy_async(&s_tile[thread], &in[tile * kThreads + thread], 4);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        out[tile * kThreads + thread] = s_tile[kThreads - 1 - thread];
    }
}

TEST(AsyncCopyChecks, a_copy_over_what_others_still_read) {
    const auto found = findings_of([] {
        overwrite_kernel<<<1, kThreads>>>(device_array<int>(kTiles * kThreads, 1),
                                          device_array<int>(kTiles * kThreads));
    });
    EXPECT_TRUE(has(found, FindingKind::race_in_block, kOverwriteBegin + 4, kOverwriteBegin + 8));
}

enum class Fault { none, rewrites_source, rewrites_target, reads_own_target, never_waits };

NEXT_LINE(kFaultBegin);
__global__ void fault_kernel(int* values, int* out, Fault fault) {
    __shared__ int s_values[kThreads];
    const int thread = static_cast<int>(threadIdx.x);
    __pipeline_memcpy_async(&s_values[thread], &values[thread], 4);
    __pipeline_commit();
    if (fault == Fault::rewrites_source) values[thread] = 5;
    if (fault == Fault::rewrites_target) s_values[thread] = 5;
    if (fault == Fault::reads_own_target) out[thread] = s_values[thread];
    if (fault != Fault::never_waits) __pipeline_wait_prior(0);
    __syncthreads();
    if (fault != Fault::never_waits) out[thread] = s_values[kThreads - 1 - thread];
}

std::vector<Finding> fault_findings(Fault fault) {
    return findings_of([fault] {
        fault_kernel<<<1, kThreads>>>(device_array<int>(kThreads, 1), device_array<int>(kThreads),
                                      fault);
    });
}

TEST(AsyncCopyChecks, what_a_thread_does_before_its_wait) {
    const int copy = kFaultBegin + 3;
    EXPECT_TRUE(is_silent(fault_findings(Fault::none)));
    EXPECT_TRUE(has(fault_findings(Fault::rewrites_source), FindingKind::copy_in_flight,
                    kFaultBegin + 5, copy));
    EXPECT_TRUE(has(fault_findings(Fault::rewrites_target), FindingKind::copy_in_flight,
                    kFaultBegin + 6, copy));
    EXPECT_TRUE(has(fault_findings(Fault::reads_own_target), FindingKind::copy_in_flight,
                    kFaultBegin + 7, copy));
    EXPECT_TRUE(has(fault_findings(Fault::never_waits), FindingKind::copy_never_awaited, copy));
}

// A warp's own copies, read after a __syncwarp().
template <bool kSync>
__global__ void warp_kernel(const float4* in, float4* out) {
    __shared__ float4 s_values[kThreads];
    const int thread = static_cast<int>(threadIdx.x);
    __pipeline_memcpy_async(&s_values[thread], &in[thread], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    if (kSync) __syncwarp();
    out[thread] = s_values[thread ^ 1];
}

TEST(AsyncCopyChecks, copies_of_a_warp) {
    const auto run = [](auto kernel) {
        return findings_of([kernel] {
            kernel<<<1, kThreads>>>(device_array<float4>(kThreads), device_array<float4>(kThreads));
        });
    };
    EXPECT_TRUE(is_silent(run(warp_kernel<true>)));
    EXPECT_TRUE(has(run(warp_kernel<false>), FindingKind::race_in_block, 0));
}

// ---- Through an mbarrier

enum class Handshake { complete, no_init_barrier, no_wait, too_many, too_few, no_tracking };

NEXT_LINE(kHandshakeBegin);
__global__ void handshake_kernel(const int* in, int* out, Handshake how) {
    __shared__ __mbarrier_t s_barrier;
    __shared__ int s_values[2][kThreads];
    const int thread = static_cast<int>(threadIdx.x);
    const int expected = how == Handshake::too_many ? 32 : how == Handshake::too_few ? 65 : 64;
    if (thread == 0) __mbarrier_init(&s_barrier, expected);
    if (how != Handshake::no_init_barrier) __syncthreads();
    for (int phase = 0; phase < 4; ++phase) {
        int* const values = s_values[phase % 2];
        __pipeline_memcpy_async(&values[thread], &in[phase * kThreads + thread], 4);
        if (how != Handshake::no_tracking) __pipeline_arrive_on(&s_barrier);
        const __mbarrier_token_t token = __mbarrier_arrive(&s_barrier);
        while (how != Handshake::no_wait && !__mbarrier_test_wait(&s_barrier, token)) {
        }
        out[phase * kThreads + thread] = values[kThreads - 1 - thread];
    }
}

std::vector<Finding> handshake_findings(Handshake how) {
    return findings_of([how] {
        handshake_kernel<<<1, kThreads>>>(device_array<int>(4 * kThreads, 1),
                                          device_array<int>(4 * kThreads), how);
    });
}

TEST(AsyncCopyChecks, a_barrier_that_tracks_copies) {
    EXPECT_TRUE(is_silent(handshake_findings(Handshake::complete)));
    EXPECT_TRUE(has(handshake_findings(Handshake::no_wait), FindingKind::copy_in_flight,
                    kHandshakeBegin + 14, kHandshakeBegin + 9));
    EXPECT_TRUE(has(handshake_findings(Handshake::no_tracking), FindingKind::copy_in_flight,
                    kHandshakeBegin + 14, kHandshakeBegin + 9));
}

TEST(AsyncCopyChecks, barriers_with_a_wrong_count) {
    EXPECT_TRUE(has(handshake_findings(Handshake::too_many), FindingKind::race_in_block, 0));
    const auto found = handshake_findings(Handshake::too_few);
    EXPECT_TRUE(has(found, FindingKind::barrier_divergence, kHandshakeBegin + 12));
}

TEST(AsyncCopyChecks, a_barrier_used_before_it_is_ready) {
    const auto found = handshake_findings(Handshake::no_init_barrier);
    const bool refused = has(found, FindingKind::invalid_call, 0);
    const bool raced = has(found, FindingKind::race_in_block, 0);
    EXPECT_TRUE(refused || raced) << text_of(found);
}

// ---- Calls that no device accepts

enum class Refused { size, source_alignment, target_alignment, source_space, target_space };

NEXT_LINE(kRefusedBegin);
__global__ void refused_kernel(const char* in, char* out, Refused refused) {
    __shared__ __align__(16) char s_bytes[64];
    char* const target = refused == Refused::target_space ? out : s_bytes;
    const char* const source = refused == Refused::source_space ? s_bytes + 32 : in;
    const int target_offset = refused == Refused::target_alignment ? 4 : 0;
    const int source_offset = refused == Refused::source_alignment ? 2 : 0;
    const int size = refused == Refused::size ? 12 : 8;
    __pipeline_memcpy_async(target + target_offset, source + source_offset, size);
    __pipeline_commit();
    __pipeline_wait_prior(0);
}

TEST(AsyncCopyChecks, calls_that_no_device_accepts) {
    for (const Refused refused :
         {Refused::size, Refused::source_alignment, Refused::target_alignment,
          Refused::source_space, Refused::target_space}) {
        cudaError_t error = cudaSuccess;
        const auto found = findings_of([&] {
            refused_kernel<<<1, 1>>>(device_array<char>(64), device_array<char>(64), refused);
            error = cudaDeviceSynchronize();
        });
        EXPECT_TRUE(has(found, FindingKind::invalid_call, kRefusedBegin + 7))
            << static_cast<int>(refused);
        EXPECT_NE(error, cudaSuccess);
    }
}

NEXT_LINE(kBoundsBegin);
__global__ void bounds_kernel(const int* in, int count) {
    __shared__ int s_values[kThreads];
    const int thread = static_cast<int>(threadIdx.x);
    if (thread < count) __pipeline_memcpy_async(&s_values[thread], &in[thread], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
}

TEST(AsyncCopyChecks, the_source_ends_too_early) {
    const auto found =
        findings_of([] { bounds_kernel<<<1, kThreads>>>(device_array<int>(40), 41); });
    EXPECT_TRUE(has(found, FindingKind::out_of_bounds, kBoundsBegin + 3));
}

TEST(AsyncCopyChecks, the_source_was_never_written) {
    const auto found = findings_of([] {
        int* data = nullptr;
        cudaMalloc(&data, 256);
        bounds_kernel<<<1, kThreads>>>(data, 40);
    });
    EXPECT_TRUE(has(found, FindingKind::uninitialised_global, kBoundsBegin + 3));
}

}  // namespace
