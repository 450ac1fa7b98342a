// SPDX-License-Identifier: MIT
// Tensor maps: the rules of cuTensorMapEncodeTiled(), where each element of a box goes, and the
// messages of copies that cannot be.
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cuda/barrier>
#include <cuda/ptx>
#include <string>
#include <vector>

#include "engine_test.hpp"

namespace cde = cuda::device::experimental;
namespace ptx = cuda::ptx;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

namespace {

class TensorMapTest : public EngineTest {};

// The arguments of cuTensorMapEncodeTiled(), of 16-bit elements at first.
struct Arguments {
    CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_UINT16;
    cuuint32_t rank = 2;
    void* address = nullptr;
    std::vector<cuuint64_t> extents = {64, 32};
    std::vector<cuuint64_t> strides = {128};
    std::vector<cuuint32_t> box = {64, 8};
    std::vector<cuuint32_t> steps = {1, 1};
    CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
    CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
    CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;

    CUresult encode(CUtensorMap* map) const {
        return cuTensorMapEncodeTiled(map, type, rank, address, extents.data(), strides.data(),
                                      box.data(), steps.data(), interleave, swizzle,
                                      CU_TENSOR_MAP_L2_PROMOTION_NONE, fill);
    }
};

CUtensorMap map_of(const Arguments& arguments) {
    CUtensorMap map{};
    EXPECT_EQ(arguments.encode(&map), CUDA_SUCCESS);
    return map;
}

TEST_F(TensorMapTest, EachRuleIsChecked) {
    ManagedArray<std::uint16_t> tensor(64 * 32);
    Arguments right;
    right.address = tensor.data();
    CUtensorMap map;
    ASSERT_EQ(right.encode(&map), CUDA_SUCCESS);
    const auto expect_refused = [&](const char* rule, auto change,
                                    CUresult result = CUDA_ERROR_INVALID_VALUE) {
        Arguments wrong = right;
        change(wrong);
        EXPECT_TRUE(contains(messages_of([&] { EXPECT_EQ(wrong.encode(&map), result); }), rule));
    };
    expect_refused("no such type", [](Arguments& a) { a.type = CUtensorMapDataType(99); });
    expect_refused("rank must be 1 to 5", [](Arguments& a) { a.rank = 0; });
    expect_refused("rank must be 1 to 5", [](Arguments& a) { a.rank = 6; });
    expect_refused("multiple of 16 bytes", [&](Arguments& a) { a.address = tensor.data() + 1; });
    expect_refused("extent must be", [](Arguments& a) { a.extents[1] = 0; });
    expect_refused("extent must be", [](Arguments& a) { a.extents[0] = (1ull << 32) + 1; });
    expect_refused("stride must be", [](Arguments& a) { a.strides[0] = 120; });
    expect_refused("stride must be", [](Arguments& a) { a.strides[0] = 1ull << 40; });
    expect_refused("box must be 1 to 256", [](Arguments& a) { a.box[1] = 257; });
    expect_refused("box must be 1 to 256", [](Arguments& a) { a.box[1] = 0; });
    expect_refused("a row of the box must be a multiple", [](Arguments& a) { a.box[0] = 12; });
    expect_refused("element stride must be", [](Arguments& a) { a.steps[1] = 9; });
    expect_refused("longer than the swizzle",
                   [](Arguments& a) { a.swizzle = CU_TENSOR_MAP_SWIZZLE_64B; });
    expect_refused("no such swizzle", [](Arguments& a) { a.swizzle = CUtensorMapSwizzle(7); });
    const auto nan = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
    expect_refused("whole numbers", [&](Arguments& a) { a.fill = nan; });
    expect_refused(
        "NaN outside",
        [&](Arguments& a) {
            a.type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
            a.fill = nan;
        },
        CUDA_ERROR_NOT_SUPPORTED);
    expect_refused(
        "interleaved", [](Arguments& a) { a.interleave = CU_TENSOR_MAP_INTERLEAVE_32B; },
        CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(right.encode(reinterpret_cast<CUtensorMap*>(tensor.data() + 8)),
              CUDA_ERROR_INVALID_VALUE);
}

TEST_F(TensorMapTest, FunctionsOfTheDriverAreFoundByName) {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult status{};
    ASSERT_EQ(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000,
                                               cudaEnableDefault, &status),
              cudaSuccess);
    EXPECT_EQ(status, cudaDriverEntryPointSuccess);
    const auto encode = reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(found);
    EXPECT_TRUE(encode == cuTensorMapEncodeTiled);
    testing::internal::CaptureStderr();
    EXPECT_EQ(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 11080,
                                               cudaEnableDefault, &status),
              cudaSuccess);
    EXPECT_EQ(status, cudaDriverEntryPointVersionNotSufficent);
    EXPECT_EQ(found, nullptr);
    EXPECT_EQ(cudaGetDriverEntryPoint("cuNothing", &found, cudaEnableDefault, &status),
              cudaSuccess);
    EXPECT_EQ(status, cudaDriverEntryPointSymbolNotFound);
    EXPECT_EQ(cudaGetDriverEntryPoint("cuNothing", &found, cudaEnableDefault),
              cudaErrorSymbolNotFound);
    testing::internal::GetCapturedStderr();
}

// ---- Loads and stores by inline PTX, as most programs have them
constexpr int kBytes = 8192;

__device__ unsigned address_of(const void* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ void wait_for(std::uint64_t* barrier, unsigned parity) {
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "AGAIN:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@done bra.uni READY;\n"
        "bra.uni AGAIN;\n"
        "READY:\n"
        "}\n" ::"r"(address_of(barrier)),
        "r"(parity));
}

// Copies what a box leaves in shared memory, which was filled with 0xaaaa.
__global__ void load_kernel(const __grid_constant__ CUtensorMap map, int x, int y, int bytes,
                            std::uint16_t* out) {
    __shared__ alignas(1024) std::uint16_t s_tile[kBytes / 2];
    __shared__ std::uint64_t s_barrier;
    const auto barrier = address_of(&s_barrier);
    for (unsigned i = threadIdx.x; i < kBytes / 2; i += blockDim.x) s_tile[i] = 0xaaaa;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(1));
        asm volatile("fence.mbarrier_init.release.cluster;");
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("prefetch.tensormap [%0];" ::"l"(&map));
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                     "r"(bytes));
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
            " [%0], [%1, {%3, %4}], [%2];" ::"r"(address_of(s_tile)),
            "l"(&map), "r"(barrier), "r"(x), "r"(y)
            : "memory");
    }
    wait_for(&s_barrier, 0);
    for (unsigned i = threadIdx.x; i < kBytes / 2; i += blockDim.x) out[i] = s_tile[i];
}

__global__ void store_kernel(const __grid_constant__ CUtensorMap map, int x, int y,
                             const std::uint16_t* in) {
    __shared__ alignas(1024) std::uint16_t s_tile[kBytes / 2];
    for (unsigned i = threadIdx.x; i < kBytes / 2; i += blockDim.x) s_tile[i] = in[i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile(
            "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::
                "l"(&map),
            "r"(address_of(s_tile)), "r"(x), "r"(y)
            : "memory");
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

// A matrix of 16-bit elements, 40 rows of 100, each 256 bytes behind the one before it. The element
// in row r and column c is 256 r + c + 1.
constexpr int kRows = 40;
constexpr int kColumns = 100;
constexpr int kPitch = 128;
struct Case {
    CUtensorMapSwizzle swizzle;
    int width;  // of the box: a row is as long as the swizzle
};
constexpr Case kCases[] = {{CU_TENSOR_MAP_SWIZZLE_NONE, 64},
                           {CU_TENSOR_MAP_SWIZZLE_32B, 16},
                           {CU_TENSOR_MAP_SWIZZLE_64B, 32},
                           {CU_TENSOR_MAP_SWIZZLE_128B, 64}};
constexpr int kHeight = 24;
// Inside, over the right end, over the lower end, before the begin, and all of it outside.
constexpr int kOrigins[][2] = {{16, 3}, {72, 5}, {0, 30}, {-8, -5}, {200, 0}};

std::uint16_t element_at(int row, int column) {
    if (row < 0 || row >= kRows || column < 0 || column >= kColumns) return 0;
    return static_cast<std::uint16_t>(256 * row + column + 1);
}

// Where an element of the box lies in shared memory, in elements. PTX ISA, "Swizzling Modes":
// pieces of 16 bytes change places within 32, 64 or 128 bytes, with a period of 256, 512 or 1024
// bytes.
int place_of(const Case& test, int row, int column) {
    const int pieces = test.swizzle == CU_TENSOR_MAP_SWIZZLE_NONE ? 1 : test.width / 8;
    const int element = row * test.width + column;
    const int line = element / 64;  // of 128 bytes
    const int piece = element / 8 % pieces ^ line % pieces;
    return element / (8 * pieces) * (8 * pieces) + piece * 8 + element % 8;
}

Arguments arguments_of(const Case& test, void* address) {
    Arguments arguments;
    arguments.address = address;
    arguments.extents = {kColumns, kRows};
    arguments.strides = {kPitch * 2};
    arguments.box = {static_cast<cuuint32_t>(test.width), kHeight};
    arguments.swizzle = test.swizzle;
    return arguments;
}

TEST_F(TensorMapTest, ElementsOfABoxLieWhereTheSwizzleSays) {
    ManagedArray<std::uint16_t> matrix(kRows * kPitch, 0x7777);
    for (int row = 0; row < kRows; ++row) {
        for (int column = 0; column < kColumns; ++column) {
            matrix[static_cast<std::size_t>(row * kPitch + column)] = element_at(row, column);
        }
    }
    ManagedArray<std::uint16_t> out(kBytes / 2);
    for (const char* schedule : {"in-order", "reversed"}) {
        use_schedule(schedule);
        for (const Case& test : kCases) {
            const CUtensorMap map = map_of(arguments_of(test, matrix.data()));
            for (const auto& [x, y] : kOrigins) {
                load_kernel<<<1, 64>>>(map, x, y, test.width * kHeight * 2, out.data());
                ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
                for (int i = 0; i < kHeight * test.width; ++i) {
                    const int row = i / test.width;
                    const int column = i % test.width;
                    ASSERT_EQ(out[static_cast<std::size_t>(place_of(test, row, column))],
                              element_at(y + row, x + column))
                        << test.swizzle << " " << x << " " << y << " " << row << " " << column;
                }
                for (int i = kHeight * test.width; i < kBytes / 2; ++i) {
                    ASSERT_EQ(out[static_cast<std::size_t>(i)], 0xaaaa);
                }
            }
        }
    }
}

TEST_F(TensorMapTest, StoresLeaveAloneWhatLiesOutside) {
    ManagedArray<std::uint16_t> in(kBytes / 2);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint16_t>(i + 1);
    for (const Case& test : kCases) {
        for (const auto& [x, y] : kOrigins) {
            ManagedArray<std::uint16_t> matrix(kRows * kPitch, 0x7777);
            store_kernel<<<1, 64>>>(map_of(arguments_of(test, matrix.data())), x, y, in.data());
            ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
            for (int i = 0; i < kRows * kPitch; ++i) {
                const int row = i / kPitch - y;
                const int column = i % kPitch - x;
                const bool is_written = row >= 0 && row < kHeight && column >= 0 &&
                                        column < test.width && i % kPitch < kColumns;
                ASSERT_EQ(matrix[static_cast<std::size_t>(i)],
                          is_written ? place_of(test, row, column) + 1 : 0x7777)
                    << test.swizzle << " " << x << " " << y << " " << i;
            }
        }
    }
}

// The forms of libcu++, in 1, 3 and 5 dimensions. The element at (a, b, c, d, e) is its index.
__global__ void forms_kernel(const __grid_constant__ CUtensorMap line,
                             const __grid_constant__ CUtensorMap cube,
                             const __grid_constant__ CUtensorMap five, int* out) {
    __shared__ alignas(128) int s_line[8];
    __shared__ alignas(128) int s_cube[2][3][4];
    __shared__ alignas(128) int s_five[2][2][1][2][4];
    __shared__ Barrier s_barrier;
    if (threadIdx.x == 0) {
        init(&s_barrier, 1);
        cde::fence_proxy_async_shared_cta();
        cde::cp_async_bulk_tensor_1d_global_to_shared(s_line, &line, 5, s_barrier);
        cde::cp_async_bulk_tensor_3d_global_to_shared(s_cube, &cube, 4, 2, 1, s_barrier);
        const std::int32_t first[] = {0, 1, 2, 0, 1};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s_five, &five, first,
                                  cuda::device::barrier_native_handle(s_barrier));
        s_barrier.wait(cuda::device::barrier_arrive_tx(
            s_barrier, 1, sizeof s_line + sizeof s_cube + sizeof s_five));
        for (int i = 0; i < 8; ++i) out[i] = s_line[i];
        for (int i = 0; i < 24; ++i) out[8 + i] = (&s_cube[0][0][0])[i];
        for (int i = 0; i < 32; ++i) out[32 + i] = (&s_five[0][0][0][0][0])[i];
    }
}

TEST_F(TensorMapTest, OneToFiveDimensions) {
    ManagedArray<int> data(8 * 4 * 4 * 2 * 4);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<int>(i);
    Arguments line;
    line.type = CU_TENSOR_MAP_DATA_TYPE_INT32;
    line.rank = 1;
    line.address = data.data();
    line.extents = {10};
    line.box = {8};
    line.steps = {7};  // ignored
    Arguments cube = line;
    cube.rank = 3;
    cube.extents = {8, 4, 4};
    cube.strides = {32, 128};
    cube.box = {4, 3, 2};
    cube.steps = {1, 1, 1};
    Arguments five = line;
    five.rank = 5;
    five.extents = {8, 4, 4, 2, 4};
    five.strides = {32, 128, 512, 1024};
    five.box = {4, 3, 1, 2, 2};
    five.steps = {1, 2, 1, 1, 1};  // rows 1 and 3 of dimension 1
    ManagedArray<int> out(64);
    forms_kernel<<<1, 32>>>(map_of(line), map_of(cube), map_of(five), out.data());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (int i = 0; i < 8; ++i) {
        EXPECT_EQ(out[static_cast<std::size_t>(i)], 5 + i < 10 ? 5 + i : 0);
    }
    for (int i = 0; i < 24; ++i) {
        const int row = 2 + i / 4 % 3;
        const int expected = 4 + i % 4 + row * 8 + (1 + i / 12) * 32;
        EXPECT_EQ(out[static_cast<std::size_t>(8 + i)], row < 4 ? expected : 0) << i;
    }
    for (int i = 0; i < 32; ++i) {
        const int b = 1 + i / 4 % 2 * 2;
        const int d = i / 8 % 2;
        const int e = 1 + i / 16;
        EXPECT_EQ(out[static_cast<std::size_t>(32 + i)],
                  i % 4 + b * 8 + 2 * 32 + d * 128 + e * 256);
    }
}

// ---- What cannot be
enum class Wrong { alignment, rank, no_map };

__global__ void wrong_kernel(const __grid_constant__ CUtensorMap map, Wrong what) {
    __shared__ alignas(1024) char s_tile[kBytes];
    __shared__ Barrier s_barrier;
    init(&s_barrier, 1);
    const CUtensorMap other{};
    switch (what) {
        case Wrong::alignment:
            cde::cp_async_bulk_tensor_2d_global_to_shared(s_tile + 64, &map, 0, 0, s_barrier);
            break;
        case Wrong::rank:
            cde::cp_async_bulk_tensor_3d_global_to_shared(s_tile, &map, 0, 0, 0, s_barrier);
            break;
        case Wrong::no_map:
            cde::cp_async_bulk_tensor_2d_shared_to_global(&other, 0, 0, s_tile);
            break;
    }
}

TEST_F(TensorMapTest, WrongCopiesEndTheKernel) {
    const std::pair<Wrong, const char*> cases[] = {{Wrong::alignment, "no multiple of 128 bytes"},
                                                   {Wrong::rank, "another number of dimensions"},
                                                   {Wrong::no_map, "where no tensor map lies"}};
    for (const auto& [what, expected] : cases) {
        Arguments arguments;
        ASSERT_EQ(cudaMalloc(&arguments.address, 64 * 32 * 2), cudaSuccess);
        EXPECT_TRUE(contains(messages_of([&] {
                                 wrong_kernel<<<1, 1>>>(map_of(arguments), what);
                                 (void)cudaDeviceSynchronize();
                             }),
                             expected));
        cudaDeviceReset();
    }
}

}  // namespace
