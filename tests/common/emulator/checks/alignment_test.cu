// SPDX-License-Identifier: MIT
// Addresses that are no multiple of what their access needs.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "checks_test.hpp"

namespace {

constexpr int kThreads = 32;
constexpr int kBytes = 4096;

struct TwoDoubles {
    double a, b;
};
enum Where { kGlobal, kShared, kDynamic };

NEXT_LINE(kReadBegin);
template <class T>
__global__ void read_kernel(char* data, T* out, int offset, Where where) {
    __shared__ alignas(16) char s_bytes[kBytes];
    extern __shared__ char s_dynamic[];
    for (int i = threadIdx.x; i < kBytes; i += kThreads) s_bytes[i] = s_dynamic[i] = 0;
    __syncthreads();
    char* bytes = where == kGlobal ? data : where == kShared ? s_bytes : s_dynamic;
    const T value = reinterpret_cast<const T*>(bytes + offset)[threadIdx.x];
    out[threadIdx.x] = value;
}

NEXT_LINE(kWriteBegin);
template <class T>
__global__ void write_kernel(char* data, T* in, int offset, Where where) {
    __shared__ alignas(16) char s_bytes[kBytes];
    extern __shared__ char s_dynamic[];
    char* bytes = where == kGlobal ? data : where == kShared ? s_bytes : s_dynamic;
    reinterpret_cast<T*>(bytes + offset)[threadIdx.x] = in[threadIdx.x];
}

cudaError_t last_error = cudaSuccess;

template <class T>
std::vector<Finding> accesses(bool reads, int offset, Where where) {
    return findings_of([=] {
        char* data = device_array<char>(kBytes);
        T* other = reinterpret_cast<T*>(device_array<char>(kThreads * sizeof(T)));
        if (reads) {
            read_kernel<T><<<1, kThreads, kBytes>>>(data, other, offset, where);
        } else {
            write_kernel<T><<<1, kThreads, kBytes>>>(data, other, offset, where);
        }
        last_error = cudaDeviceSynchronize();
    });
}

// `alignment` is the hardware's, which divides 16.
template <class T>
void check_type(int alignment) {
    for (const Where where : {kGlobal, kShared, kDynamic}) {
        for (const bool reads : {true, false}) {
            for (const int offset : {0, 4, 8, 16, 120, 6, 1}) {
                SCOPED_TRACE(testing::Message()
                             << sizeof(T) << " bytes at " << offset << ", place " << where);
                const auto found = accesses<T>(reads, offset, where);
                if (offset % alignment == 0) {
                    EXPECT_TRUE(is_silent(found));
                    EXPECT_EQ(last_error, cudaSuccess);
                    continue;
                }
                const int line = reads ? kReadBegin + 7 : kWriteBegin + 5;
                ASSERT_TRUE(has(found, FindingKind::misaligned_address, line));
                EXPECT_EQ(found.size(), 1u);
                EXPECT_EQ(last_error, cudaErrorMisalignedAddress);
                const std::string wanted = "multiple of " + std::to_string(alignment) + ",";
                EXPECT_NE(found[0].what.find(wanted), std::string::npos) << found[0].what;
                const auto byte = offset + found[0].actors[0].thread * sizeof(T);
                const std::string place = "byte " + std::to_string(byte) + " of ";
                EXPECT_NE(found[0].what.find(place), std::string::npos) << found[0].what;
            }
        }
    }
}

TEST(Alignment, vectors) {
    check_type<float4>(16);
    check_type<int2>(8);
    check_type<double2>(16);
    check_type<uchar4>(4);
    check_type<half2>(4);
}

TEST(Alignment, scalars) {
    check_type<char>(1);
    check_type<short>(2);
    check_type<float>(4);
    check_type<double>(8);
    check_type<long long>(8);
}

TEST(Alignment, structs) {
    check_type<TwoDoubles>(8);
    check_type<double4>(16);
}

// A component needs less than its vector, and a copy of bytes needs nothing.
__global__ void parts_kernel(float* data, float* out) {
    const float4* vectors = reinterpret_cast<const float4*>(data + 2);
    out[threadIdx.x] = vectors[threadIdx.x].y;
    float4 copy;
    memcpy(&copy, data + 1, sizeof copy);
    out[threadIdx.x] += copy.x;
}

TEST(Alignment, parts_of_a_vector) {
    EXPECT_TRUE(is_silent(findings_of([] {
        parts_kernel<<<1, kThreads>>>(device_array<float>(1000), device_array<float>(kThreads));
    })));
}

// Local memory lies where the compiler puts it: no finding.
__global__ void local_kernel(float* out) {
    float values[8];
    for (int i = 0; i < 8; ++i) values[i] = out[i];
    double* wide = reinterpret_cast<double*>(values + 1 + (out[0] == 1));
    wide[1] += 1;
    out[threadIdx.x] = values[threadIdx.x % 8];
}

TEST(Alignment, local_memory) {
    EXPECT_TRUE(
        is_silent(findings_of([] { local_kernel<<<1, 1>>>(device_array<float>(kThreads)); })));
}

}  // namespace
