// SPDX-License-Identifier: MIT
// EMULATOR_FLUSH_DENORMALS, as nvcc's -ftz=true: it applies to the kernels of one translation unit
// only.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "engine_test.hpp"

void products_kept(const float* a, const float* b, float* out, int count);
void products_flushed(const float* a, const float* b, float* out, int count);

namespace {

class DenormalsTest : public EngineTest {};

TEST_F(DenormalsTest, are_flushed_where_asked_and_nowhere_else) {
    constexpr int kThreads = 40;
    ManagedArray<float> a(kThreads, 1e-30f), b(kThreads, 1e-10f), out(2 * kThreads);
    volatile float tiny = 1e-30f;
    volatile float small = 1e-10f;
    // Alternating, so that each kernel uses fibers of the other.
    for (int round = 0; round < 3; ++round) {
        products_flushed(a.data(), b.data(), out.data(), kThreads - round);
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        EXPECT_GT(tiny * small, 0.0f) << "host code keeps denormals";
        for (int i = 0; i < 2 * (kThreads - round); ++i) ASSERT_EQ(out[i], 0.0f);
        products_kept(a.data(), b.data(), out.data(), kThreads);
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        for (int i = 0; i < 2 * kThreads; ++i) ASSERT_GT(out[i], 0.0f);
    }
}

TEST_F(DenormalsTest, as_operands_are_zero_too) {
    ManagedArray<float> a(2, 1e-40f), b(2, 1e20f), out(4);
    products_flushed(a.data(), b.data(), out.data(), 2);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(out[0], 0.0f);
    products_kept(a.data(), b.data(), out.data(), 2);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_GT(out[0], 1e-21f);
}

}  // namespace
