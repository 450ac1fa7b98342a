// SPDX-License-Identifier: MIT
// Inline PTX that reads memory and registers, or works with other threads. Arithmetic is in
// ptx_vectors.cu.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "engine_test.hpp"

namespace {

class PtxTest : public EngineTest {};

__device__ __forceinline__ unsigned lane_id() {
    unsigned lane;
    asm("mov.u32 %0, %laneid;" : "=r"(lane));
    return lane;
}

__global__ void registers_kernel(unsigned* out) {
    unsigned below, thread, block, warp;
    asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    asm volatile("mov.u32 %0, %%tid.x; mov.u32 %1, %%ctaid.y;" : "=r"(thread), "=r"(block));
    asm volatile("{ mov.u32 %0, %%warpid; }" : "=r"(warp));
    unsigned long long before, after;
    asm volatile("mov.u64 %0, %clock64;" : "=l"(before));
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(after) : : "memory");
    out[threadIdx.x] = below ^ lane_id() << 8 ^ thread << 16 ^ block << 28 ^ warp << 24;
    if (after < before) out[threadIdx.x] = 0;
}

TEST_F(PtxTest, SpecialRegisters) {
    ManagedArray<unsigned> out(64);
    registers_kernel<<<dim3(1, 2), 64>>>(out.data());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (unsigned i = 0; i < 64; ++i) {
        const unsigned lane = i % 32;
        EXPECT_EQ(out[i] & ~(3u << 28),
                  (((1u << lane) - 1) ^ lane << 8 ^ i << 16 ^ (i / 32) << 24) & ~(3u << 28));
    }
}

__global__ void memory_kernel(const float4* in, float4* out, unsigned* words) {
    __shared__ unsigned s_words[64];
    extern __shared__ unsigned s_more[];
    const unsigned i = threadIdx.x;
    float4 v;
    asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(in + i));
    asm volatile("st.global.cs.v4.f32 [%0], {%4, %3, %2, %1};"
                 :
                 : "l"(out + i), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)
                 : "memory");
    const auto address = static_cast<unsigned>(__cvta_generic_to_shared(&s_words[i]));
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(i * 3));
    unsigned long long more;
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(more) : "l"(&s_more[i]));
    asm volatile("st.volatile.shared.b32 [%0], %1;" ::"l"(more), "r"(i + 7));
    asm volatile("bar.sync 0;");
    unsigned next, other;
    asm volatile("ld.shared.u32 %0, [%1+4];"
                 : "=r"(next)
                 : "r"(i + 1 < blockDim.x ? address : address - 4));
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(other) : "l"(more));
    unsigned old;
    asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(words), "r"(next));
    asm volatile("red.relaxed.gpu.global.max.s32 [%0], %1;" ::"l"(words + 1), "r"(int(other)));
    unsigned char narrow;
    asm volatile("ld.acquire.sys.global.u8 %0, [%1];" : "=r"(narrow) : "l"(in) : "memory");
    if (narrow == 255) words[0] = 0;
}

TEST_F(PtxTest, Memory) {
    ManagedArray<float4> in(64);
    ManagedArray<float4> out(64);
    ManagedArray<unsigned> words(2);
    for (std::size_t i = 0; i < 64; ++i) {
        const auto x = static_cast<float>(i);
        in[i] = make_float4(x, x + 0.25f, x + 0.5f, x + 0.75f);
    }
    memory_kernel<<<1, 64, 256>>>(in.data(), out.data(), words.data());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(out[5].x, 5.75f);
    EXPECT_EQ(out[63].w, 63.0f);
    EXPECT_EQ(words[0], 3u * (64 * 63 / 2 + 63));  // each thread's successor; the last its own
    EXPECT_EQ(words[1], 70u);
}

__global__ void warp_kernel(unsigned* out) {
    const unsigned lane = lane_id();
    unsigned from, votes, sum, active;
    int in_range;
    asm volatile(
        "{\n\t"
        ".reg .pred p, q;\n\t"
        "shfl.sync.down.b32 %0|p, %2, 3, 31, 0xffffffff;\n\t"
        "selp.s32 %1, 1, 0, p;\n\t"
        "}"
        : "=r"(from), "=r"(in_range)
        : "r"(lane * 10));
    asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 5; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
                 : "=r"(votes)
                 : "r"(lane));
    asm volatile("redux.sync.add.s32 %0, %1, 0xffffffff;" : "=r"(sum) : "r"(lane));
    asm volatile("activemask.b32 %0;" : "=r"(active));
    asm volatile("bar.warp.sync 0xffffffff; membar.gl; fence.acq_rel.gpu;");
    out[lane * 4] = from;
    out[lane * 4 + 1] = static_cast<unsigned>(in_range);
    out[lane * 4 + 2] = votes ^ active;
    out[lane * 4 + 3] = sum;
}

TEST_F(PtxTest, WarpFunctions) {
    for (const char* schedule : kSchedules) {
        use_schedule(schedule);
        ManagedArray<unsigned> out(128);
        warp_kernel<<<1, 32>>>(out.data());
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        for (unsigned lane = 0; lane < 32; ++lane) {
            EXPECT_EQ(out[lane * 4], lane < 29 ? (lane + 3) * 10 : lane * 10);
            EXPECT_EQ(out[lane * 4 + 1], lane < 29 ? 1u : 0u);
            EXPECT_EQ(out[lane * 4 + 2], 0x1fu ^ 0xffffffffu);
            EXPECT_EQ(out[lane * 4 + 3], 496u);
        }
    }
}

__global__ void copy_kernel(const int4* in, int4* out) {
    __shared__ int4 s_tile[32];
    const unsigned i = threadIdx.x;
    const auto address = static_cast<unsigned>(__cvta_generic_to_shared(&s_tile[i]));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(address), "l"(in + i));
    asm volatile("cp.async.commit_group;\n" ::);
    asm volatile("cp.async.wait_group %0;\n" ::"n"(0));
    asm volatile("bar.sync 0, 32;");
    asm volatile("bar.sync %0, %1;" ::"r"(0), "r"(blockDim.x));
    out[i] = s_tile[31 - i];
}

TEST_F(PtxTest, AsynchronousCopies) {
    ManagedArray<int4> in(32);
    ManagedArray<int4> out(32);
    for (std::size_t i = 0; i < 32; ++i) in[i] = make_int4(static_cast<int>(i), 1, 2, 3);
    copy_kernel<<<1, 32>>>(in.data(), out.data());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(out[0].x, 31);
    EXPECT_EQ(out[31].w, 3);
}

// Assembler of the host's processor stays as it is.
unsigned swapped_by_host(unsigned value) {
#ifdef __x86_64__
    __asm__("bswap %0" : "+r"(value));
    asm volatile("" ::: "memory");
    return value;
#else
    return __builtin_bswap32(value);
#endif
}

TEST_F(PtxTest, AssemblerOfTheHost) { EXPECT_EQ(swapped_by_host(0x01020304), 0x04030201u); }

}  // namespace
