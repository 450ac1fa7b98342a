// SPDX-License-Identifier: MIT
// Out of bounds, freed, uninitialised and host memory, barriers in branches, endless kernels.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "checks_test.hpp"
#include "common/emulator/counting/checks/checks.hpp"
#include "common/emulator/process/settings.hpp"

namespace {

constexpr int kThreads = 64;

NEXT_LINE(kWriteBegin);
__global__ void write_kernel(int* out, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = i;
}

TEST(MemoryChecks, one_element_too_many) {
    // 100 ints leave 112 bytes up to the next multiple of 256: no page protects them.
    EXPECT_TRUE(
        is_silent(findings_of([] { write_kernel<<<2, kThreads>>>(device_array<int>(100), 100); })));
    const auto found =
        findings_of([] { write_kernel<<<2, kThreads>>>(device_array<int>(100), 101); });
    ASSERT_TRUE(has(found, FindingKind::out_of_bounds, kWriteBegin + 2));
    EXPECT_EQ(found[0].actors[0].block, 1);
    EXPECT_EQ(found[0].actors[0].thread, 100 - kThreads);
    EXPECT_NE(found[0].what.find("0 bytes behind allocation"), std::string::npos) << found[0].what;
}

__global__ void before_kernel(int* out) { out[static_cast<int>(threadIdx.x) - 1] = 0; }

TEST(MemoryChecks, one_element_too_few) {
    const auto found = findings_of([] {
        device_array<int>(10);
        before_kernel<<<1, kThreads>>>(device_array<int>(100));
    });
    ASSERT_TRUE(has(found, FindingKind::out_of_bounds, 0));
    EXPECT_NE(found[0].what.find("4 bytes before allocation"), std::string::npos) << found[0].what;
}

TEST(MemoryChecks, freed) {
    const auto found = findings_of([] {
        int* data = device_array<int>(100);
        cudaFree(data);
        write_kernel<<<1, kThreads>>>(data, 100);
    });
    EXPECT_TRUE(has(found, FindingKind::use_after_free, kWriteBegin + 2));
}

TEST(MemoryChecks, host_pointer) {
    const auto found = findings_of([] {
        std::vector<int> values(100);
        write_kernel<<<1, kThreads>>>(values.data(), 100);
        cudaDeviceSynchronize();
    });
    EXPECT_TRUE(has(found, FindingKind::host_pointer, kWriteBegin + 2));
}

NEXT_LINE(kFunctionsBegin);
__global__ void functions_kernel(int* data, int what) {
    if (what == 0) atomicAdd(data, 1);
    if (what == 1) atomicMax(data, 1);
    if (what == 2) data[1] = __ldg(data);
    if (what == 3) data[1] = std::max(data[0], 3);
    if (what == 4) memset(data, 0, 8);
}

TEST(MemoryChecks, host_pointer_to_a_function) {
    for (int what = 0; what < 5; ++what) {
        EXPECT_TRUE(is_silent(
            findings_of([=] { functions_kernel<<<1, 1>>>(device_array<int>(2), what); })));
        std::vector<int> values(2);
        const auto found = findings_of([&] {
            functions_kernel<<<1, 1>>>(values.data(), what);
            cudaDeviceSynchronize();
        });
        EXPECT_TRUE(has(found, FindingKind::host_pointer, kFunctionsBegin + 1 + what));
    }
}

TEST(MemoryChecks, memory_that_both_sides_may_use) {
    EXPECT_TRUE(is_silent(findings_of([] {
        int* managed = nullptr;
        int* pinned = nullptr;
        cudaMallocManaged(&managed, 100 * sizeof(int));
        cudaMallocHost(&pinned, 100 * sizeof(int));
        std::vector<int> registered(100);
        cudaHostRegister(registered.data(), 100 * sizeof(int), cudaHostRegisterDefault);
        for (int i = 0; i < 100; ++i) managed[i] = pinned[i] = registered[i] = i;
        for (int* data : {managed, pinned, registered.data()}) {
            write_kernel<<<2, kThreads>>>(data, 100);
        }
        cudaDeviceSynchronize();
        for (int i = 0; i < 100; ++i) EXPECT_EQ(managed[i] + pinned[i] + registered[i], 3 * i);
        cudaHostUnregister(registered.data());
    })));
}

template <int kSize>
__global__ void shared_kernel(int* out, int index) {
    __shared__ int s_first[kSize];
    __shared__ int s_second[kSize];
    const int t = threadIdx.x;
    if (t < kSize) s_first[t] = s_second[t] = t;
    __syncthreads();
    if (t == 0) out[0] = s_first[index] + s_second[index];
}

TEST(MemoryChecks, static_shared_memory) {
    EXPECT_TRUE(
        is_silent(findings_of([] { shared_kernel<9><<<1, kThreads>>>(device_array<int>(1), 8); })));
    for (const int index : {9, -1, 40}) {
        const auto found =
            findings_of([&] { shared_kernel<9><<<1, kThreads>>>(device_array<int>(1), index); });
        EXPECT_TRUE(has(found, FindingKind::out_of_bounds, 0)) << index;
    }
    const auto found =
        findings_of([] { shared_kernel<9><<<1, kThreads>>>(device_array<int>(1), 9); });
    EXPECT_NE(found.at(0).what.find("0 bytes behind s_"), std::string::npos) << found[0].what;
}

// g++ puts a template's variables among the engine's own thread-local ones.
template <class T>
__global__ void template_kernel(int index, int what) {
    __shared__ T s_values[32];
    s_values[threadIdx.x] = T(threadIdx.x);
    __syncthreads();
    if (threadIdx.x != 0) return;
    if (what == 0) s_values[index] = T(1);
    if (what == 1) atomicAdd(&s_values[index], T(1));
    if (what == 2) s_values[0] += s_values[index];
}

TEST(MemoryChecks, shared_memory_of_a_template) {
    EXPECT_TRUE(is_silent(findings_of([] {
        for (int what = 0; what < 3; ++what) template_kernel<float><<<1, 32>>>(31, what);
    })));
    // Beyond 512 bytes the next variable of the program may follow.
    for (const int index : {-1, 32, 33, 40, 100, 127}) {
        for (int what = 0; what < 3; ++what) {
            const auto found = findings_of([&] {
                template_kernel<float><<<1, 32>>>(index, what);
                template_kernel<int><<<1, 32>>>(index, what);
            });
            ASSERT_TRUE(has(found, FindingKind::out_of_bounds, 0)) << index;
            EXPECT_NE(found[0].what.find(" s_"), std::string::npos) << found[0].what;
        }
    }
}

}  // namespace

// Not of this file alone: nobody may write them then, and their values would be known.
__constant__ float c_weights[5];
__device__ float d_weights[5];

namespace {

__global__ void weights_kernel(float* out, int index, bool constant) {
    out[threadIdx.x] = constant ? c_weights[index] : d_weights[index];
}

TEST(MemoryChecks, variables_of_the_executable) {
    for (const bool constant : {false, true}) {
        EXPECT_TRUE(is_silent(
            findings_of([&] { weights_kernel<<<1, 1>>>(device_array<float>(1), 4, constant); })));
        const auto found =
            findings_of([&] { weights_kernel<<<1, 1>>>(device_array<float>(1), 5, constant); });
        ASSERT_TRUE(has(found, FindingKind::out_of_bounds, 0));
        EXPECT_NE(found[0].what.find("0 bytes behind"), std::string::npos) << found[0].what;
    }
}

// Of a size that g++ does not know, and of one that it would expand.
NEXT_LINE(kCopyBegin);
__global__ void copy_kernel(char* out, const char* in, int bytes) {
    if (threadIdx.x == 0) memcpy(out, in, bytes);
    if (threadIdx.x == 1) std::memcpy(out + bytes, in + bytes, 40);
    if (threadIdx.x == 2) memset(out + bytes + 40, 1, bytes);
    if (threadIdx.x == 3) memmove(out + 2 * bytes + 40, in, 7);
}

TEST(MemoryChecks, library_functions) {
    std::vector<char> values(247);
    EXPECT_TRUE(is_silent(findings_of([&] {
        char* out = device_array<char>(247);
        char* in = device_array<char>(247, 3);
        copy_kernel<<<1, 32>>>(out, in, 100);
        cudaMemcpy(values.data(), out, 247, cudaMemcpyDeviceToHost);
    })));
    for (int i = 0; i < 247; ++i) EXPECT_EQ(values[i], i < 140 || i >= 240 ? 3 : 1) << i;
    const auto copied = [](int out, int in, int bytes) {
        return findings_of(
            [=] { copy_kernel<<<1, 1>>>(device_array<char>(out), device_array<char>(in), bytes); });
    };
    EXPECT_TRUE(has(copied(99, 100, 100), FindingKind::out_of_bounds, kCopyBegin + 1));
    EXPECT_TRUE(has(copied(100, 99, 100), FindingKind::out_of_bounds, kCopyBegin + 1));
    // The last of the threads is the first to go too far.
    const auto of_threads = [](int threads, int bytes) {
        return findings_of([=] {
            char* in = device_array<char>(247);
            copy_kernel<<<1, threads>>>(device_array<char>(bytes), in, 100);
        });
    };
    EXPECT_TRUE(has(of_threads(2, 139), FindingKind::out_of_bounds, kCopyBegin + 2));
    EXPECT_TRUE(has(of_threads(3, 239), FindingKind::out_of_bounds, kCopyBegin + 3));
    EXPECT_TRUE(has(of_threads(4, 246), FindingKind::out_of_bounds, kCopyBegin + 4));
}

__global__ void dynamic_kernel(int* out, int index) {
    extern __shared__ int s_values[];
    s_values[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) *out = s_values[index];
}

TEST(MemoryChecks, dynamic_shared_memory) {
    constexpr int kBytes = kThreads * sizeof(int);
    EXPECT_TRUE(is_silent(
        findings_of([] { dynamic_kernel<<<1, kThreads, kBytes>>>(device_array<int>(1), 63); })));
    for (const int index : {64, -1}) {
        EXPECT_TRUE(has(findings_of([&] {
                            dynamic_kernel<<<1, kThreads, kBytes>>>(device_array<int>(1), index);
                        }),
                        FindingKind::out_of_bounds, 0));
    }
}

NEXT_LINE(kUnwrittenBegin);
__global__ void unwritten_kernel(float* out, int written) {
    __shared__ float s_values[kThreads];
    if (static_cast<int>(threadIdx.x) < written) s_values[threadIdx.x] = 1.0f;
    __syncthreads();
    out[threadIdx.x] = s_values[threadIdx.x];
}

TEST(MemoryChecks, uninitialised_shared_memory) {
    EXPECT_TRUE(is_silent(findings_of(
        [] { unwritten_kernel<<<1, kThreads>>>(device_array<float>(kThreads), kThreads); })));
    const auto found = findings_of(
        [] { unwritten_kernel<<<1, kThreads>>>(device_array<float>(kThreads), kThreads - 1); });
    ASSERT_TRUE(has(found, FindingKind::uninitialised_shared, kUnwrittenBegin + 4));
    EXPECT_EQ(found[0].actors[0].thread, kThreads - 1);
    // What an earlier block wrote is not this one's.
    EXPECT_TRUE(has(findings_of([] {
                        unwritten_kernel<<<1, kThreads>>>(device_array<float>(kThreads), kThreads);
                        unwritten_kernel<<<1, kThreads>>>(device_array<float>(kThreads), 0);
                    }),
                    FindingKind::uninitialised_shared, kUnwrittenBegin + 4));
}

NEXT_LINE(kSumBegin);
__global__ void sum_kernel(int* out, bool set) {
    __shared__ int s_sum;
    if (set && threadIdx.x == 0) atomicExch(&s_sum, 0);
    __syncthreads();
    atomicAdd(&s_sum, 1);
    __syncthreads();
    if (threadIdx.x == 0) *out = s_sum;
}

TEST(MemoryChecks, an_update_of_uninitialised_shared_memory) {
    EXPECT_TRUE(
        is_silent(findings_of([] { sum_kernel<<<1, kThreads>>>(device_array<int>(1), true); })));
    const auto found =
        findings_of([] { sum_kernel<<<1, kThreads>>>(device_array<int>(1), false); });
    ASSERT_TRUE(has(found, FindingKind::uninitialised_shared, kSumBegin + 4));
    EXPECT_EQ(found.size(), 1u) << text_of(found);
}

NEXT_LINE(kTransferBegin);
template <class T>
__global__ void transfer_kernel(const T* in, T* out, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = in[i];
}

template <class T>
T* unwritten_array(std::size_t count) {
    T* data = nullptr;
    EXPECT_EQ(cudaMalloc(&data, count * sizeof(T)), cudaSuccess);
    return data;
}

// A kernel reads the first `count` elements of memory that `write` has written in part.
template <class T, class Function>
std::vector<Finding> findings_of_reading(int count, Function write) {
    return findings_of([&] {
        T* const data = unwritten_array<T>(count);
        write(data);
        transfer_kernel<<<3, kThreads>>>(data, unwritten_array<T>(count), count);
    });
}

TEST(MemoryChecks, uninitialised_global_memory) {
    constexpr int kCount = 3 * kThreads;
    const auto set = [](int count) {
        return [count](int* data) { cudaMemset(data, 0, count * sizeof(int)); };
    };
    EXPECT_TRUE(is_silent(findings_of_reading<int>(kCount, set(kCount))));
    const auto found = findings_of_reading<int>(kCount, set(kCount - 1));
    ASSERT_TRUE(has(found, FindingKind::uninitialised_global, kTransferBegin + 3));
    ASSERT_EQ(found.size(), 1u) << text_of(found);
    EXPECT_EQ(found[0].count, 1u);
    EXPECT_EQ(found[0].actors[0].block, 2);
    EXPECT_EQ(found[0].actors[0].thread, kThreads - 1);
    EXPECT_EQ(found[0].actors[0].did, "reads 4 bytes");
    EXPECT_NE(found[0].what.find("byte 764 of allocation"), std::string::npos) << found[0].what;
    // Once, however many threads there are.
    const auto all = findings_of_reading<int>(kCount, set(0));
    ASSERT_EQ(all.size(), 1u) << text_of(all);
    EXPECT_EQ(all[0].count, static_cast<unsigned>(kCount));
}

TEST(MemoryChecks, uninitialised_global_memory_to_the_byte) {
    for (const int written : {0, 1, 55, 56, 57, 63, 64, 99, 100}) {
        const auto found = findings_of_reading<char>(
            100, [&](char* data) { cudaMemset(data, 0, static_cast<std::size_t>(written)); });
        std::uint64_t count = 0;
        for (const Finding& finding : found) count += finding.count;
        EXPECT_EQ(count, static_cast<unsigned>(100 - written)) << text_of(found);
    }
}

// What fills a struct up need not be written.
TEST(MemoryChecks, vectors_that_are_written_in_part) {
    for (const int written : {0, 1, 4}) {
        const auto found = findings_of_reading<float4>(4, [&](float4* data) {
            for (int i = 0; i < 4; ++i) cudaMemset(data + i, 0, static_cast<std::size_t>(written));
        });
        EXPECT_EQ(found.empty(), written > 0) << text_of(found);
    }
}

TEST(MemoryChecks, what_copies_write) {
    static const std::vector<int> values(kThreads);
    cudaStream_t stream = nullptr;
    EXPECT_TRUE(is_silent(findings_of_reading<int>(kThreads, [&](int* data) {
        cudaStreamCreate(&stream);
        cudaMemcpyAsync(data, values.data(), kThreads * sizeof(int), cudaMemcpyHostToDevice,
                        stream);
        cudaStreamSynchronize(stream);
    })));
    // Eight rows of seven columns: the eighth column is not copied.
    const auto rows = findings_of_reading<int>(kThreads, [](int* data) {
        cudaMemcpy2D(data, 8 * sizeof(int), values.data(), 7 * sizeof(int), 7 * sizeof(int), 8,
                     cudaMemcpyHostToDevice);
    });
    ASSERT_TRUE(has(rows, FindingKind::uninitialised_global, kTransferBegin + 3));
    EXPECT_EQ(rows[0].count, 8u);
    // From device memory that is written but for its last element.
    const auto copied = findings_of_reading<int>(kThreads, [](int* data) {
        int* const other = unwritten_array<int>(kThreads);
        cudaMemset(other, 0, (kThreads - 1) * sizeof(int));
        cudaMemset(data, 0, kThreads * sizeof(int));
        cudaMemcpy(data, other, kThreads * sizeof(int), cudaMemcpyDeviceToDevice);
    });
    ASSERT_TRUE(has(copied, FindingKind::uninitialised_global, kTransferBegin + 3));
    EXPECT_EQ(copied[0].count, 1u);
}

TEST(MemoryChecks, what_a_kernel_has_written_before) {
    EXPECT_TRUE(is_silent(findings_of_reading<int>(
        100, [](int* data) { write_kernel<<<2, kThreads>>>(data, 100); })));
    EXPECT_FALSE(findings_of_reading<int>(100, [](int* data) {
                     write_kernel<<<2, kThreads>>>(data, 99);
                 }).empty());
}

NEXT_LINE(kUpdateBegin);
__global__ void update_kernel(int* data, int what) {
    if (what == 0) data[0] += 1;
    if (what == 1) atomicAdd(data, 1);
    if (what == 2) atomicCAS(data, 0, 1);
    if (what == 3) memcpy(data + 1, data, 4);
    if (what == 4) atomicExch(data, 1);
    if (what == 5) memset(data, 0, 4);
    if (what == 6) data[0] = what;
}

TEST(MemoryChecks, updates_of_uninitialised_global_memory) {
    for (const char* races : {"on", "off"}) {
        counting::set_races(std::string(races) == "on");
        for (int what = 0; what < 7; ++what) {
            const auto found =
                findings_of([=] { update_kernel<<<1, 1>>>(unwritten_array<int>(2), what); });
            if (what < 4) {
                EXPECT_TRUE(has(found, FindingKind::uninitialised_global, kUpdateBegin + 1 + what));
            } else {
                EXPECT_TRUE(is_silent(found)) << what;
            }
            EXPECT_TRUE(is_silent(
                findings_of([=] { update_kernel<<<1, 1>>>(device_array<int>(2), what); })));
        }
    }
    counting::set_races(true);
}

NEXT_LINE(kPointersBegin);
__global__ void pointers_kernel(float* out, int* exponent) {
    sincosf(0.5f, out, out + 1);
    out[2] = modff(1.5f, out + 3);
    out[4] = frexpf(3.0f, exponent);
    out[5] = remquof(3.0f, 2.0f, exponent + 1);
}

// What functions of the C library give through pointers.
TEST(MemoryChecks, results_through_pointers) {
    const auto run = [](std::size_t floats) {
        return findings_of([=] {
            auto* const out = unwritten_array<float>(floats);
            auto* const exponent = unwritten_array<int>(2);
            pointers_kernel<<<1, 1>>>(out, exponent);
            transfer_kernel<<<1, kThreads>>>(out, unwritten_array<float>(6), 6);
            transfer_kernel<<<1, kThreads>>>(exponent, unwritten_array<int>(2), 2);
            float h_out[6]{};
            int h_exponent[2]{};
            cudaMemcpy(h_out, out, floats * sizeof(float), cudaMemcpyDeviceToHost);
            cudaMemcpy(h_exponent, exponent, sizeof h_exponent, cudaMemcpyDeviceToHost);
            if (floats < 6) return;
            EXPECT_FLOAT_EQ(h_out[1], std::cos(0.5f));
            EXPECT_EQ(h_out[3], 1.0f);
            EXPECT_EQ(h_exponent[0], 2);
            EXPECT_EQ(h_exponent[1] & 7, 2);
        });
    };
    EXPECT_TRUE(is_silent(run(6)));
    EXPECT_TRUE(has(run(1), FindingKind::out_of_bounds, kPointersBegin + 1));
}

TEST(MemoryChecks, memory_of_both_sides_is_never_uninitialised) {
    EXPECT_TRUE(is_silent(findings_of([] {
        int* managed = nullptr;
        int* pinned = nullptr;
        cudaMallocManaged(&managed, kThreads * sizeof(int));
        cudaMallocHost(&pinned, kThreads * sizeof(int));
        transfer_kernel<<<1, kThreads>>>(managed, unwritten_array<int>(kThreads), kThreads);
        transfer_kernel<<<1, kThreads>>>(pinned, unwritten_array<int>(kThreads), kThreads);
    })));
}

TEST(MemoryChecks, freed_memory_is_uninitialised_again) {
    EXPECT_TRUE(has(findings_of([] {
                        cudaFree(device_array<int>(kThreads));
                        transfer_kernel<<<1, kThreads>>>(unwritten_array<int>(kThreads),
                                                         unwritten_array<int>(kThreads), kThreads);
                    }),
                    FindingKind::uninitialised_global, kTransferBegin + 3));
}

NEXT_LINE(kBranchBegin);
__global__ void branch_kernel(int* out) {
    if (threadIdx.x < 32) {
        out[threadIdx.x] = 1;
        __syncthreads();
    } else {
        __syncthreads();
    }
    out[threadIdx.x] = 2;
}

TEST(BarrierChecks, two_barriers_for_one) {
    EXPECT_TRUE(
        has(findings_of([] { branch_kernel<<<1, kThreads>>>(device_array<int>(kThreads)); }),
            FindingKind::barrier_divergence, kBranchBegin + 3, kBranchBegin + 5));
}

NEXT_LINE(kDeadlockBegin);
__global__ void deadlock_kernel() {
    if (threadIdx.x < 16) {
        __syncwarp();
    } else {
        __syncthreads();
    }
}

TEST(BarrierChecks, threads_that_wait_for_ever) {
    EXPECT_TRUE(has(findings_of([] { deadlock_kernel<<<1, 32>>>(); }),
                    FindingKind::barrier_divergence, kDeadlockBegin + 2, kDeadlockBegin + 4));
}

NEXT_LINE(kSeveralBegin);
__global__ void several_kernel(int* out) {
    __shared__ int s_first[kThreads], s_second[kThreads];
    s_first[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = s_first[kThreads - 1 - threadIdx.x];
    __syncthreads();
    out[threadIdx.x] += s_second[threadIdx.x];
    out[kThreads + threadIdx.x / 2] = threadIdx.x;
}

TEST(Findings, several_in_one_run) {
    const auto found = findings_of([] {
        int* out = device_array<int>(2 * kThreads);
        for (int i = 0; i < 2; ++i) several_kernel<<<1, kThreads>>>(out);
        write_kernel<<<3, kThreads>>>(out, 3 * kThreads);
    });
    EXPECT_TRUE(has(found, FindingKind::race_in_block, kSeveralBegin + 3, kSeveralBegin + 2));
    EXPECT_TRUE(has(found, FindingKind::race_in_block, kSeveralBegin + 2, kSeveralBegin + 3));
    EXPECT_TRUE(has(found, FindingKind::uninitialised_shared, kSeveralBegin + 5));
    EXPECT_TRUE(has(found, FindingKind::race_in_block, kSeveralBegin + 6, kSeveralBegin + 6));
    EXPECT_TRUE(has(found, FindingKind::out_of_bounds, kWriteBegin + 2));
    EXPECT_EQ(found.size(), 5u) << text_of(found);
}

__global__ void loop_kernel(int* out, int count) {
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        out[i % kThreads] = i;
        __syncthreads();
    }
}

TEST(BarrierChecks, the_same_barrier_in_a_loop) {
    EXPECT_TRUE(is_silent(
        findings_of([] { loop_kernel<<<1, kThreads>>>(device_array<int>(kThreads), 256); })));
}

NEXT_LINE(kEndlessBegin);
__global__ void endless_kernel(volatile int* flag) {
    while (*flag == 0) {
    }
}

TEST(TimeLimit, ends_an_endless_kernel) {
    emulator::Settings settings = emulator::settings();
    const double before = std::exchange(settings.time_limit, 0.2);
    emulator::configure(settings);
    cudaError_t error = cudaSuccess;
    const auto found = findings_of([&] {
        endless_kernel<<<1, 1>>>(device_array<int>(1));
        error = cudaDeviceSynchronize();
    });
    settings.time_limit = before;
    emulator::configure(settings);
    EXPECT_EQ(error, cudaErrorLaunchTimeout);
    EXPECT_TRUE(has(found, FindingKind::endless_kernel, 0));
}

}  // namespace
