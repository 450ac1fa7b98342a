// SPDX-License-Identifier: MIT
// wgmma by inline PTX: 64 x 64 x 64 products of tiles that tensor copies brought, in each layout of
// shared memory, and calls that cannot be.
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cuda/ptx>

#include "../../tensor_map.hpp"
#include "engine_test.hpp"

namespace ptx = cuda::ptx;

namespace {

class WarpgroupTest : public EngineTest {};

constexpr int kSide = 64;  // m, n and k
constexpr int kThreads = 128;
constexpr int kTile = kSide * kSide;

enum class Fault {
    none,
    no_fence,
    changed_without_fence,
    outside,
    registers,
    disagreement,
    three_warps,
};

// A tile lies in blocks as wide as the swizzle, `kWidth` elements: 8 is no swizzle.
template <int kWidth>
constexpr int kBlockBytes = kSide* kWidth * 2;
template <int kWidth>
constexpr std::uint64_t kMode = kWidth == 64   ? 1
                                : kWidth == 32 ? 2
                                : kWidth == 16 ? 3
                                               : 0;

// Of the 16 k from 16 `slice` on.
template <int kWidth, bool kIsTransposed>
__device__ std::uint64_t descriptor_of(const void* tile, int slice) {
    auto address = static_cast<std::uint64_t>(__cvta_generic_to_shared(tile));
    std::uint64_t leading = kBlockBytes<kWidth>;
    std::uint64_t stride = 8 * kWidth * 2;
    if (kIsTransposed) {
        address += static_cast<std::uint64_t>(slice * 16 * kWidth * 2);
        if (kWidth == 8) {
            leading = 8 * kWidth * 2;
            stride = kBlockBytes<kWidth>;
        }
    } else {
        address += static_cast<std::uint64_t>(slice * 16 / kWidth * kBlockBytes<kWidth> +
                                              slice * 16 % kWidth * 2);
    }
    return (address & 0x3ffff) >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | kMode<kWidth> << 62;
}

__device__ void fence() { asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory"); }
__device__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory"); }
template <int kLeft>
__device__ void wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;\n" ::"n"(kLeft) : "memory");
}

template <int kAdds, int kSignA, int kTransposesA, int kTransposesB>
__device__ void multiply(float (&d)[32], std::uint64_t a, std::uint64_t b, __nv_bfloat16) {
    asm volatile(
        "{\n"
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, "
        " %8, %9, %10, %11, %12, %13, %14, %15, "
        " %16, %17, %18, %19, %20, %21, %22, %23, "
        " %24, %25, %26, %27, %28, %29, %30, %31}, "
        "%32, %33, %34, %35, %36, %37, %38;\n"
        "}\n"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
          "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
          "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
          "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
        : "l"(a), "l"(b), "n"(kAdds), "n"(kSignA), "n"(1), "n"(kTransposesA), "n"(kTransposesB));
}

template <int kAdds, int kSignA, int kTransposesA, int kTransposesB>
__device__ void multiply(float (&d)[32], std::uint64_t a, std::uint64_t b, half) {
    asm volatile(
        "{\n"
        ".reg .pred adds;\n"
        "setp.ne.b32 adds, %34, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, "
        " %8, %9, %10, %11, %12, %13, %14, %15, "
        " %16, %17, %18, %19, %20, %21, %22, %23, "
        " %24, %25, %26, %27, %28, %29, %30, %31}, "
        "%32, %33, adds, %35, %36, %37, %38;\n"
        "}\n"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
          "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
          "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
          "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
        : "l"(a), "l"(b), "r"(kAdds), "n"(kSignA), "n"(1), "n"(kTransposesA), "n"(kTransposesB));
}

// A from registers, as fragments of mma.sync.
template <int kTransposesB>
__device__ void multiply(float (&d)[32], const std::uint32_t (&a)[4], std::uint64_t b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, "
        " %8, %9, %10, %11, %12, %13, %14, %15, "
        " %16, %17, %18, %19, %20, %21, %22, %23, "
        " %24, %25, %26, %27, %28, %29, %30, %31}, "
        "{%32, %33, %34, %35}, %36, 1, 1, -1, %37;\n"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
          "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
          "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
          "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "n"(kTransposesB));
}

// The tile of A or B: kSide / kWidth boxes.
template <int kWidth>
__device__ void load_tile(void* tile, const CUtensorMap& map, std::uint64_t* barrier) {
    for (int i = 0; i < kSide / kWidth; ++i) {
        const std::int32_t first[] = {i * kWidth, 0};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global,
                                  static_cast<char*>(tile) + i * kBlockBytes<kWidth>, &map, first,
                                  barrier);
    }
}

__device__ void store_sums(float* c, const float (&d)[32]) {
    const int row =
        static_cast<int>(threadIdx.x) / 32 * 16 + static_cast<int>(threadIdx.x) % 32 / 4;
    for (int i = 0; i < 32; ++i) {
        const int column = i / 4 * 8 + static_cast<int>(threadIdx.x) % 4 * 2 + i % 2;
        c[(row + i / 2 % 2 * 8) * kSide + column] = d[i];
    }
}

// C = 2 A B + 5 - A B.
template <int kWidth, bool kTransposesA, bool kTransposesB, class T>
__global__ void product_kernel(const __grid_constant__ CUtensorMap map_a,
                               const __grid_constant__ CUtensorMap map_b, float* c, Fault fault) {
    extern __shared__ __align__(1024) char s_tiles[];
    __shared__ std::uint64_t s_barrier;
    char* const s_a = s_tiles;
    char* const s_b = s_tiles + kTile * 2;
    if (threadIdx.x == 0) ptx::mbarrier_init(&s_barrier, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                       &s_barrier, 2 * kTile * 2);
        load_tile<kWidth>(s_a, map_a, &s_barrier);
        load_tile<kWidth>(s_b, map_b, &s_barrier);
    }
    while (!ptx::mbarrier_try_wait_parity(&s_barrier, 0)) {
    }
    if (fault == Fault::registers) asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(250));
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    float d[32];
    for (float& sum : d) sum = 5;
    const auto a = [&](int slice) { return descriptor_of<kWidth, kTransposesA>(s_a, slice); };
    const auto b = [&](int slice) {
        std::uint64_t made = descriptor_of<kWidth, kTransposesB>(s_b, slice);
        if (fault == Fault::outside) made ^= 0x2000;
        if (fault == Fault::disagreement && threadIdx.x == 40) made += 2;
        return made;
    };
    if (fault != Fault::no_fence) fence();
    for (int slice = 0; slice < 4; ++slice) {
        multiply<1, 1, kTransposesA, kTransposesB>(d, a(slice), b(slice), T{});
    }
    commit();
    for (int slice = 0; slice < 4; ++slice) {
        multiply<1, -1, kTransposesA, kTransposesB>(d, a(slice), b(slice), T{});
    }
    commit();
    wait<1>();
    wait<0>();
    for (float& sum : d) sum += 1;  // 5 + 1
    if (fault != Fault::changed_without_fence) fence();
    for (int slice = 0; slice < 4; ++slice) {
        multiply<1, 1, kTransposesA, kTransposesB>(d, a(slice), b(slice), T{});
    }
    commit();
    wait<0>();
    store_sums(c, d);
}

int element_of_a(int row, int k) { return (row * 3 + k * 5) % 7 - 3; }
int element_of_b(int k, int column) { return (k * 2 + column * 3 + k * column) % 5 - 2; }
int product_at(int row, int column) {
    int sum = 0;
    for (int k = 0; k < kSide; ++k) sum += element_of_a(row, k) * element_of_b(k, column);
    return sum;
}

template <int kWidth>
CUtensorMap map_of(void* matrix) {
    constexpr CUtensorMapSwizzle kSwizzle = kWidth == 64   ? CU_TENSOR_MAP_SWIZZLE_128B
                                            : kWidth == 32 ? CU_TENSOR_MAP_SWIZZLE_64B
                                            : kWidth == 16 ? CU_TENSOR_MAP_SWIZZLE_32B
                                                           : CU_TENSOR_MAP_SWIZZLE_NONE;
    return tensor_map(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, matrix, kSide, kSide, kSide, kWidth,
                      kSwizzle);
}

// A with k side by side, or with m if it is transposed; the same for B.
template <int kWidth, bool kTransposesA, bool kTransposesB, class T>
std::vector<float> product(Fault fault = Fault::none) {
    ManagedArray<T> a(kTile);
    ManagedArray<T> b(kTile);
    ManagedArray<float> c(kTile);
    for (int i = 0; i < kTile; ++i) {
        const int outer = i / kSide;
        const int inner = i % kSide;
        const auto place = static_cast<std::size_t>(i);
        a[place] = static_cast<T>(static_cast<float>(kTransposesA ? element_of_a(inner, outer)
                                                                  : element_of_a(outer, inner)));
        b[place] = static_cast<T>(static_cast<float>(kTransposesB ? element_of_b(outer, inner)
                                                                  : element_of_b(inner, outer)));
    }
    product_kernel<kWidth, kTransposesA, kTransposesB, T>
        <<<1, fault == Fault::three_warps ? 96 : kThreads, 4 * kTile>>>(
            map_of<kWidth>(a.data()), map_of<kWidth>(b.data()), c.data(), fault);
    const cudaError_t error = cudaDeviceSynchronize();
    EXPECT_EQ(error == cudaSuccess, fault == Fault::none);
    return error == cudaSuccess ? c.values() : std::vector<float>();
}

template <int kWidth, bool kTransposesA, bool kTransposesB, class T>
void expect_product() {
    const std::vector<float> c = product<kWidth, kTransposesA, kTransposesB, T>();
    ASSERT_EQ(c.size(), std::size_t{kTile});
    for (int i = 0; i < kTile; ++i) {
        ASSERT_EQ(c[static_cast<std::size_t>(i)],
                  static_cast<float>(6 + product_at(i / kSide, i % kSide)))
            << kWidth << kTransposesA << kTransposesB << " " << i / kSide << " " << i % kSide;
    }
}

template <int kWidth>
void expect_products() {
    expect_product<kWidth, false, false, __nv_bfloat16>();
    expect_product<kWidth, true, false, __nv_bfloat16>();
    expect_product<kWidth, false, true, half>();
    expect_product<kWidth, true, true, half>();
}

TEST_F(WarpgroupTest, EachLayoutGivesTheProduct) {
    for (const char* schedule : kSchedules) {
        use_schedule(schedule);
        expect_products<64>();
        expect_products<32>();
        expect_products<16>();
        expect_products<8>();
    }
}

// -A B by fragments of A, whose sums nobody may read before the wait.
__global__ void fragments_kernel(const __nv_bfloat16* a, const __grid_constant__ CUtensorMap map_b,
                                 float* c, float* early) {
    __shared__ alignas(1024) char s_b[kTile * 2];
    __shared__ std::uint64_t s_barrier;
    if (threadIdx.x == 0) ptx::mbarrier_init(&s_barrier, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                       &s_barrier, kTile * 2);
        load_tile<64>(s_b, map_b, &s_barrier);
    }
    while (!ptx::mbarrier_try_wait_parity(&s_barrier, 0)) {
    }
    float d[32] = {};
    fence();
    for (int slice = 0; slice < 4; ++slice) {
        const int lane = static_cast<int>(threadIdx.x) % 32;
        const int row = static_cast<int>(threadIdx.x) / 32 * 16 + lane / 4;
        std::uint32_t fragment[4];
        for (int r = 0; r < 4; ++r) {
            fragment[r] = *reinterpret_cast<const std::uint32_t*>(
                a + (row + r % 2 * 8) * kSide + slice * 16 + r / 2 * 8 + lane % 4 * 2);
        }
        multiply<0>(d, fragment, descriptor_of<64, false>(s_b, slice));
    }
    commit();
    early[threadIdx.x] = d[5];
    wait<0>();
    store_sums(c, d);
}

TEST_F(WarpgroupTest, FragmentsOfAAndSumsThatArriveAtTheWait) {
    ManagedArray<__nv_bfloat16> a(kTile);
    ManagedArray<__nv_bfloat16> b(kTile);
    ManagedArray<float> c(kTile);
    ManagedArray<float> early(kThreads);
    for (int i = 0; i < kTile; ++i) {
        const auto place = static_cast<std::size_t>(i);
        a[place] =
            static_cast<__nv_bfloat16>(static_cast<float>(element_of_a(i / kSide, i % kSide)));
        b[place] =
            static_cast<__nv_bfloat16>(static_cast<float>(element_of_b(i % kSide, i / kSide)));
    }
    fragments_kernel<<<1, kThreads>>>(a.data(), map_of<64>(b.data()), c.data(), early.data());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (int i = 0; i < kTile; ++i) {
        ASSERT_EQ(c[static_cast<std::size_t>(i)],
                  static_cast<float>(-product_at(i / kSide, i % kSide)));
    }
    for (const float sum : early.values()) EXPECT_EQ(sum, 0.0f);
}

TEST_F(WarpgroupTest, WrongCallsEndTheKernel) {
    const std::pair<Fault, const char*> cases[] = {
        {Fault::no_fence, "without a wgmma.fence"},
        {Fault::changed_without_fence, "without a wgmma.fence"},
        {Fault::outside, "outside of the block's shared memory"},
        {Fault::disagreement, "other descriptors"},
        {Fault::three_warps, "less than four warps"},
        {Fault::registers, "number of registers that cannot be"}};
    for (const auto& [fault, expected] : cases) {
        EXPECT_TRUE(contains(
            messages_of([fault = fault] { (void)product<64, false, false, __nv_bfloat16>(fault); }),
            expected));
        cudaDeviceReset();
    }
}

}  // namespace
