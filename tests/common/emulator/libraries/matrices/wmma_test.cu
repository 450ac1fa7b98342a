// SPDX-License-Identifier: MIT
// nvcuda::wmma on the CPU engine: a product in tiles, element-wise work on fragments, and the
// messages of calls that cannot be. Results bit by bit are in wmma_vectors.cu.
#include <cuda_runtime.h>
#include <gtest/gtest.h>
#include <mma.h>

#include <vector>

#include "engine_test.hpp"

using namespace nvcuda;

namespace {

constexpr int kTile = 16;
using FragmentA = wmma::fragment<wmma::matrix_a, kTile, kTile, kTile, half, wmma::row_major>;
using FragmentB = wmma::fragment<wmma::matrix_b, kTile, kTile, kTile, half, wmma::col_major>;
using Sum = wmma::fragment<wmma::accumulator, kTile, kTile, kTile, float>;

// C = 2 A B for matrices of n x n; B by columns. One warp per tile.
__global__ void product_kernel(const half* a, const half* b, float* c, int n) {
    const int row = static_cast<int>(blockIdx.y) * kTile;
    const int column = static_cast<int>(blockIdx.x) * kTile;
    Sum sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < n; k += kTile) {
        FragmentA fragment_a;
        FragmentB fragment_b;
        wmma::load_matrix_sync(fragment_a, a + row * n + k, static_cast<unsigned>(n));
        wmma::load_matrix_sync(fragment_b, b + column * n + k, static_cast<unsigned>(n));
        wmma::mma_sync(sum, fragment_a, fragment_b, sum);
    }
    for (int i = 0; i < sum.num_elements; ++i) sum.x[i] *= 2;
    wmma::store_matrix_sync(c + row * n + column, sum, static_cast<unsigned>(n),
                            wmma::mem_row_major);
}

class MatrixTest : public EngineTest {};

TEST_F(MatrixTest, ProductInTiles) {
    constexpr int kSize = 48;
    ManagedArray<half> a(kSize * kSize);
    ManagedArray<half> b(kSize * kSize);
    ManagedArray<float> c(kSize * kSize);
    for (int i = 0; i < kSize * kSize; ++i) {
        a[static_cast<std::size_t>(i)] = half(i % 7 - 3);
        b[static_cast<std::size_t>(i)] = half(i % 5 - 2);
    }
    for (const char* schedule : kSchedules) {
        use_schedule(schedule);
        product_kernel<<<dim3(3, 3), 32>>>(a.data(), b.data(), c.data(), kSize);
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        for (int row = 0; row < kSize; ++row) {
            for (int column = 0; column < kSize; ++column) {
                float expected = 0;
                for (int k = 0; k < kSize; ++k) {
                    expected += static_cast<float>((row * kSize + k) % 7 - 3) *
                                static_cast<float>((column * kSize + k) % 5 - 2);
                }
                ASSERT_EQ(c[static_cast<std::size_t>(row * kSize + column)], 2 * expected);
            }
        }
    }
}

TEST_F(MatrixTest, FragmentsHaveTheHardwaresSizes) {
    static_assert(FragmentA::num_elements == 16);
    static_assert(Sum::num_elements == 8);
    using Narrow = wmma::fragment<wmma::matrix_b, 32, 8, 16, signed char, wmma::row_major>;
    static_assert(Narrow::num_elements == 4);
    using Tf32 = wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major>;
    static_assert(Tf32::num_elements == 4);
    EXPECT_EQ(wmma::__float_to_tf32(1.0f + 1.0f / 1024), 1.0f + 1.0f / 1024);
    EXPECT_EQ(wmma::__float_to_tf32(1.0f + 1.0f / 2048), 1.0f + 1.0f / 1024);
    EXPECT_EQ(wmma::__float_to_tf32(1.0f + 1.0f / 4096), 1.0f);
}

enum class Wrong { address, distance, disagreement };

__global__ void wrong_kernel(const half* a, Wrong what) {
    FragmentA fragment;
    switch (what) {
        case Wrong::address:
            wmma::load_matrix_sync(fragment, a + 1, kTile);
            break;
        case Wrong::distance:
            wmma::load_matrix_sync(fragment, a, kTile + 1);
            break;
        case Wrong::disagreement:
            wmma::load_matrix_sync(fragment, threadIdx.x < 16 ? a : a + 16, kTile);
            break;
    }
}

__global__ void half_a_warp_kernel(float* c) {
    Sum sum;
    wmma::fill_fragment(sum, 1.0f);
    if (threadIdx.x < 16) wmma::store_matrix_sync(c, sum, kTile, wmma::mem_row_major);
}

TEST_F(MatrixTest, WrongCallsEndTheKernel) {
    const std::pair<Wrong, const char*> cases[] = {
        {Wrong::address, "a multiple of 32 bytes"},
        {Wrong::distance, "a multiple of 16 bytes"},
        {Wrong::disagreement, "different addresses or distances"}};
    for (const auto& [what, expected] : cases) {
        half* a = nullptr;
        ASSERT_EQ(cudaMalloc(&a, 1024 * sizeof(half)), cudaSuccess);
        EXPECT_TRUE(contains(messages_of([&] {
                                 wrong_kernel<<<1, 32>>>(a, what);
                                 (void)cudaDeviceSynchronize();
                             }),
                             expected));
        cudaDeviceReset();
    }
    for (const unsigned threads : {32u, 16u}) {
        float* c = nullptr;
        ASSERT_EQ(cudaMalloc(&c, 256 * sizeof(float)), cudaSuccess);
        EXPECT_TRUE(contains(messages_of([&] {
                                 half_a_warp_kernel<<<1, threads>>>(c);
                                 (void)cudaDeviceSynchronize();
                             }),
                             "without all 32 threads"));
        cudaDeviceReset();
    }
}

}  // namespace
