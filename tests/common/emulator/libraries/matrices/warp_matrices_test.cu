// SPDX-License-Identifier: MIT
// mma.sync, ldmatrix and stmatrix by inline PTX: which lane holds which element, sums as by
// nvcuda::wmma, and the messages of calls that cannot be.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>
#include <mma.h>

#include <bit>
#include <cstdint>
#include <utility>

#include "engine_test.hpp"

using namespace nvcuda;

namespace {

class WarpMatricesTest : public EngineTest {};

// ---- Fragments, by the figures of the PTX ISA. `a` is 16 x k by rows, `b` k x 8 by columns; a
// register holds neighbours along k.
template <int k, class T>
struct Fragments {
    static constexpr int kPerRegister = 4 / static_cast<int>(sizeof(T));
    std::uint32_t a[k / (2 * kPerRegister)];
    std::uint32_t b[k / (4 * kPerRegister)];

    __device__ void load(const T* matrix_a, const T* matrix_b) {
        const int group = static_cast<int>(threadIdx.x) % 32 / 4;
        const int first = static_cast<int>(threadIdx.x) % 4 * kPerRegister;
        constexpr int kHalf = 4 * kPerRegister;  // columns of A that two registers cover
        for (int i = 0; i < k / (2 * kPerRegister); ++i) {
            const int row = group + (i % 2 == 1 ? 8 : 0);
            a[i] = word(matrix_a + row * k + i / 2 * kHalf + first);
        }
        for (int i = 0; i < k / (4 * kPerRegister); ++i) {
            b[i] = word(matrix_b + group * k + i * kHalf + first);
        }
    }
    __device__ static std::uint32_t word(const T* elements) {
        return *reinterpret_cast<const std::uint32_t*>(elements);
    }
};

// D = A B + D by one instruction.
__device__ void multiply(float (&d)[4], const Fragments<16, half>& f) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(f.a[0]), "r"(f.a[1]), "r"(f.a[2]), "r"(f.a[3]), "r"(f.b[0]), "r"(f.b[1]));
}
__device__ void multiply(float (&d)[4], const Fragments<16, __nv_bfloat16>& f) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};\n"
        : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
        : "r"(f.a[0]), "r"(f.a[1]), "r"(f.a[2]), "r"(f.a[3]), "r"(f.b[0]), "r"(f.b[1]), "f"(d[0]),
          "f"(d[1]), "f"(d[2]), "f"(d[3]));
}
__device__ void multiply(float (&d)[4], const Fragments<8, half>& f) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};\n"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(f.a[0]), "r"(f.a[1]), "r"(f.b[0]));
}
__device__ void multiply(float (&d)[4], const Fragments<8, float>& f) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(f.a[0]), "r"(f.a[1]), "r"(f.a[2]), "r"(f.a[3]), "r"(f.b[0]), "r"(f.b[1]));
}
__device__ void multiply(float (&d)[4], const Fragments<4, float>& f) {
    asm volatile(
        "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 "
        "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};\n"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(f.a[0]), "r"(f.a[1]), "r"(f.b[0]));
}

// C, 16 x 8 by rows, += A B.
template <int k, class T>
__global__ void product_kernel(const T* a, const T* b, float* c) {
    Fragments<k, T> parts;
    parts.load(a, b);
    const int row = static_cast<int>(threadIdx.x) / 4;
    const int column = static_cast<int>(threadIdx.x) % 4 * 2;
    float* const upper = c + row * 8 + column;
    float* const lower = upper + 8 * 8;
    float d[4] = {upper[0], upper[1], lower[0], lower[1]};
    multiply(d, parts);
    upper[0] = d[0];
    upper[1] = d[1];
    lower[0] = d[2];
    lower[1] = d[3];
}

int element_of_a(int row, int column) { return (row * 7 + column * 3) % 11 - 5; }
int element_of_b(int row, int column) { return (row * 5 + column * 2) % 13 - 6; }

template <int k, class T>
void expect_exact_product() {
    ManagedArray<T> a(16 * k);
    ManagedArray<T> b(8 * k);
    ManagedArray<float> c(16 * 8);
    for (int i = 0; i < 16 * k; ++i) {
        a[static_cast<std::size_t>(i)] =
            static_cast<T>(static_cast<float>(element_of_a(i / k, i % k)));
    }
    for (int i = 0; i < 8 * k; ++i) {
        b[static_cast<std::size_t>(i)] =
            static_cast<T>(static_cast<float>(element_of_b(i % k, i / k)));
    }
    for (std::size_t i = 0; i < c.size(); ++i) c[i] = static_cast<float>(i);
    product_kernel<k, T><<<1, 32>>>(a.data(), b.data(), c.data());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (int i = 0; i < 16 * 8; ++i) {
        int expected = i;
        for (int j = 0; j < k; ++j) expected += element_of_a(i / 8, j) * element_of_b(j, i % 8);
        ASSERT_EQ(c[static_cast<std::size_t>(i)], static_cast<float>(expected)) << i;
    }
}

TEST_F(WarpMatricesTest, EachShapeMultipliesWholeNumbersExactly) {
    for (const char* schedule : kSchedules) {
        use_schedule(schedule);
        expect_exact_product<16, half>();
        expect_exact_product<16, __nv_bfloat16>();
        expect_exact_product<8, half>();
        expect_exact_product<8, float>();
        expect_exact_product<4, float>();
    }
}

// Sums of halves: C and D have two registers.
__global__ void half_sums_kernel(const half* a, const half* b, std::uint32_t* c) {
    Fragments<16, half> f;
    f.load(a, b);
    std::uint32_t* const upper = c + threadIdx.x;
    std::uint32_t* const lower = c + 32 + threadIdx.x;
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 "
        "{%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};\n"
        : "+r"(*upper), "+r"(*lower)
        : "r"(f.a[0]), "r"(f.a[1]), "r"(f.a[2]), "r"(f.a[3]), "r"(f.b[0]), "r"(f.b[1]));
}

TEST_F(WarpMatricesTest, SumsOfHalves) {
    ManagedArray<half> a(16 * 16);
    ManagedArray<half> b(8 * 16);
    ManagedArray<half> c(16 * 8);
    for (int i = 0; i < 16 * 16; ++i) {
        a[static_cast<std::size_t>(i)] = half(element_of_a(i / 16, i % 16));
    }
    for (int i = 0; i < 8 * 16; ++i) {
        b[static_cast<std::size_t>(i)] = half(element_of_b(i % 16, i / 16));
    }
    for (std::size_t i = 0; i < c.size(); ++i) c[i] = half(static_cast<int>(i));
    half_sums_kernel<<<1, 32>>>(a.data(), b.data(), reinterpret_cast<std::uint32_t*>(c.data()));
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (int i = 0; i < 16 * 8; ++i) {
        int expected = i;
        for (int j = 0; j < 16; ++j) expected += element_of_a(i / 8, j) * element_of_b(j, i % 8);
        ASSERT_EQ(static_cast<float>(c[static_cast<std::size_t>(i)]), static_cast<float>(expected));
    }
}

// The hardware makes a product of wmma of two of these, whose sums were measured.
__global__ void wmma_kernel(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> part_a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> part_b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::load_matrix_sync(part_a, a, 16);
    wmma::load_matrix_sync(part_b, b, 16);
    wmma::fill_fragment(sum, 0.25f);
    wmma::mma_sync(sum, part_a, part_b, sum);
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

TEST_F(WarpMatricesTest, SumsAreRoundedAsByWmma) {
    ManagedArray<__nv_bfloat16> a(16 * 16);
    ManagedArray<__nv_bfloat16> b(16 * 16);
    ManagedArray<float> whole(16 * 16);
    std::uint32_t state = 1;
    const auto draw = [&] {
        state = state * 1664525u + 1013904223u;
        return (static_cast<float>(state >> 8) / 0x1p23f - 1) *
               std::bit_cast<float>((120 + state % 9) << 23);
    };
    for (std::size_t i = 0; i < 256; ++i) {
        a[i] = static_cast<__nv_bfloat16>(draw());
        b[i] = static_cast<__nv_bfloat16>(draw());
    }
    wmma_kernel<<<1, 32>>>(a.data(), b.data(), whole.data());
    for (int part = 0; part < 2; ++part) {
        ManagedArray<float> c(16 * 8, 0.25f);
        product_kernel<16, __nv_bfloat16><<<1, 32>>>(a.data(), b.data() + part * 8 * 16, c.data());
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        for (int i = 0; i < 16 * 8; ++i) {
            const float expected = whole[static_cast<std::size_t>(i / 8 * 16 + part * 8 + i % 8)];
            ASSERT_EQ(c[static_cast<std::size_t>(i)], expected);
        }
    }
}

// ---- ldmatrix and stmatrix. Matrices lie one below the other: row r of matrix i is row 8 i + r.
constexpr int kRows = 32;

template <int kCount, bool kIsTransposed>
__device__ void load(std::uint32_t (&r)[4], std::uint32_t address) {
    if constexpr (kCount == 4 && kIsTransposed) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                     : "r"(address));
    } else if constexpr (kCount == 4) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared::cta.b16 {%0, %1, %2, %3}, [%4];\n"
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                     : "r"(address));
    } else if constexpr (kCount == 2 && kIsTransposed) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];\n"
                     : "=r"(r[0]), "=r"(r[1])
                     : "r"(address));
    } else if constexpr (kCount == 2) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2 + 0];\n"
                     : "=r"(r[0]), "=r"(r[1])
                     : "r"(address));
    } else {
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];\n"
                     : "=r"(r[0])
                     : "r"(address));
    }
}

template <int kCount, bool kIsTransposed>
__device__ void store(std::uint32_t address, const std::uint32_t (&r)[4]) {
    if constexpr (kCount == 4 && kIsTransposed) {
        asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};"
                     :
                     : "r"(address), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]));
    } else if constexpr (kCount == 4) {
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
                     :
                     : "r"(address), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]));
    } else {
        asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};"
                     :
                     : "r"(address), "r"(r[0]), "r"(r[1]));
    }
}

__device__ std::uint32_t address_of(const void* pointer) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

// Lanes that have no row pass an address that no instruction may read.
template <int kCount, bool kIsTransposed>
__global__ void load_kernel(std::uint32_t* out) {
    __shared__ __align__(16) std::uint16_t s_rows[kRows][8];
    const unsigned lane = threadIdx.x;
    for (unsigned i = 0; i < 8; ++i) {
        s_rows[lane][i] = static_cast<std::uint16_t>(lane * 8 + i);
    }
    __syncwarp();
    std::uint32_t registers[4] = {};
    load<kCount, kIsTransposed>(registers, lane < 8 * kCount ? address_of(s_rows[lane]) : 1);
    for (int i = 0; i < 4; ++i) out[i * 32 + static_cast<int>(lane)] = registers[i];
}

// From zeros, and back by stmatrix.
template <int kCount, bool kIsTransposed>
__global__ void store_kernel(std::uint16_t* out) {
    __shared__ __align__(16) std::uint16_t s_rows[kRows][8];
    const unsigned lane = threadIdx.x;
    for (unsigned i = 0; i < 8; ++i) s_rows[lane][i] = 0xffff;
    __syncwarp();
    // Register r of the lane has these elements of matrix r, if it is not transposed.
    std::uint32_t registers[4] = {};
    for (unsigned r = 0; r < 4; ++r) {
        const unsigned first = r * 64 + lane / 4 * 8 + lane % 4 * 2;
        registers[r] = first | (first + 1) << 16;
    }
    store<kCount, kIsTransposed>(lane < 8 * kCount ? address_of(s_rows[lane]) : 1, registers);
    __syncwarp();
    for (unsigned i = 0; i < 8; ++i) out[lane * 8 + i] = s_rows[lane][i];
}

// The element of row `row` and column `column` of a matrix.
unsigned numbered(int matrix, int row, int column) {
    return static_cast<unsigned>(matrix * 64 + row * 8 + column);
}

template <int kCount, bool kIsTransposed>
void expect_loaded() {
    ManagedArray<std::uint32_t> out(4 * 32);
    load_kernel<kCount, kIsTransposed><<<1, 32>>>(out.data());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (int i = 0; i < 4 * 32; ++i) {
        const int line = i % 32 / 4;
        const int pair = i % 4 * 2;
        const unsigned low =
            kIsTransposed ? numbered(i / 32, pair, line) : numbered(i / 32, line, pair);
        const unsigned high =
            kIsTransposed ? numbered(i / 32, pair + 1, line) : numbered(i / 32, line, pair + 1);
        ASSERT_EQ(out[static_cast<std::size_t>(i)], i / 32 < kCount ? low | high << 16 : 0) << i;
    }
}

template <int kCount, bool kIsTransposed>
void expect_stored() {
    ManagedArray<std::uint16_t> out(kRows * 8);
    store_kernel<kCount, kIsTransposed><<<1, 32>>>(out.data());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (int i = 0; i < kRows * 8; ++i) {
        const int row = i % 64 / 8;
        const int column = i % 8;
        const unsigned expected =
            kIsTransposed ? numbered(i / 64, column, row) : numbered(i / 64, row, column);
        ASSERT_EQ(out[static_cast<std::size_t>(i)], i / 64 < kCount ? expected : 0xffff) << i;
    }
}

TEST_F(WarpMatricesTest, LoadsGiveEachLaneItsPair) {
    for (const char* schedule : kSchedules) {
        use_schedule(schedule);
        expect_loaded<1, false>();
        expect_loaded<2, false>();
        expect_loaded<2, true>();
        expect_loaded<4, false>();
        expect_loaded<4, true>();
    }
}

TEST_F(WarpMatricesTest, StoresPutEachPairInItsRow) {
    for (const char* schedule : kSchedules) {
        use_schedule(schedule);
        expect_stored<2, false>();
        expect_stored<4, false>();
        expect_stored<4, true>();
    }
}

// ---- What cannot be
enum class Wrong { odd_row, not_shared, half_a_warp, two_operations };

__global__ void wrong_kernel(Wrong what, const std::uint16_t* global) {
    __shared__ __align__(16) std::uint16_t s_rows[kRows + 1][8];
    for (int i = 0; i < 8; ++i) s_rows[threadIdx.x][i] = 0;
    __syncwarp();
    std::uint32_t r[4] = {};
    const std::uint16_t* const row = s_rows[threadIdx.x];
    switch (what) {
        case Wrong::odd_row:
            load<4, false>(r, address_of(row) + 4);
            break;
        case Wrong::not_shared:
            asm volatile("ldmatrix.sync.aligned.m8n8.x1.b16 {%0}, [%1];"
                         : "=r"(r[0])
                         : "l"(threadIdx.x == 3 ? global : row));
            break;
        case Wrong::half_a_warp:
            if (threadIdx.x < 16) load<2, false>(r, address_of(row));
            break;
        case Wrong::two_operations:
            if (threadIdx.x < 16) {
                load<4, false>(r, address_of(row));
            } else {
                store<4, false>(address_of(row), r);
            }
            break;
    }
}

TEST_F(WarpMatricesTest, WrongCallsEndTheKernel) {
    const std::pair<Wrong, const char*> cases[] = {
        {Wrong::odd_row, "no multiple of 16 bytes"},
        {Wrong::not_shared, "outside of the block's shared memory"},
        {Wrong::half_a_warp, "without all 32 threads"},
        {Wrong::two_operations, "called another one"}};
    for (const auto& [what, expected] : cases) {
        std::uint16_t* global = nullptr;
        ASSERT_EQ(cudaMalloc(&global, 64), cudaSuccess);
        EXPECT_TRUE(contains(messages_of([&] {
                                 wrong_kernel<<<1, 32>>>(what, global);
                                 (void)cudaDeviceSynchronize();
                             }),
                             expected));
        cudaDeviceReset();
    }
}

}  // namespace
