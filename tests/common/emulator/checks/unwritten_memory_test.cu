// SPDX-License-Identifier: MIT
// Shared and global memory that is read before it is written.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "checks_test.hpp"
#include "common/emulator/counting/checks/checks.hpp"

namespace {

constexpr int kThreads = 64;

NEXT_LINE(kUnwrittenBegin);
__global__ void unwritten_kernel(float* out, int written) {
    __shared__ float s_values[kThreads];
    if (static_cast<int>(threadIdx.x) < written) s_values[threadIdx.x] = 1.0f;
    __syncthreads();
    out[threadIdx.x] = s_values[threadIdx.x];
}

TEST(UnwrittenMemory, uninitialised_shared_memory) {
    EXPECT_TRUE(is_silent(findings_of(
        [] { unwritten_kernel<<<1, kThreads>>>(device_array<float>(kThreads), kThreads); })));
    const auto found = findings_of(
        [] { unwritten_kernel<<<1, kThreads>>>(device_array<float>(kThreads), kThreads - 1); });
    ASSERT_TRUE(has(found, FindingKind::uninitialised_shared, kUnwrittenBegin + 4));
    EXPECT_EQ(found[0].actors[0].thread, kThreads - 1);
    // An earlier block wrote the memory, but not this block.
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

TEST(UnwrittenMemory, an_update_of_uninitialised_shared_memory) {
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

// A kernel reads the first `count` elements of memory. `write` has written a part of them.
template <class T, class Function>
std::vector<Finding> findings_of_reading(int count, Function write) {
    return findings_of([&] {
        T* const data = unwritten_array<T>(count);
        write(data);
        transfer_kernel<<<3, kThreads>>>(data, unwritten_array<T>(count), count);
    });
}

TEST(UnwrittenMemory, uninitialised_global_memory) {
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
    // One finding for all threads.
    const auto all = findings_of_reading<int>(kCount, set(0));
    ASSERT_EQ(all.size(), 1u) << text_of(all);
    EXPECT_EQ(all[0].count, static_cast<unsigned>(kCount));
}

TEST(UnwrittenMemory, uninitialised_global_memory_to_the_byte) {
    for (const int written : {0, 1, 55, 56, 57, 63, 64, 99, 100}) {
        const auto found = findings_of_reading<char>(
            100, [&](char* data) { cudaMemset(data, 0, static_cast<std::size_t>(written)); });
        std::uint64_t count = 0;
        for (const Finding& finding : found) count += finding.count;
        EXPECT_EQ(count, static_cast<unsigned>(100 - written)) << text_of(found);
    }
}

template <class T>
std::vector<Finding> findings_of_reading_parts(int written) {
    return findings_of_reading<T>(4, [&](T* data) {
        for (int i = 0; i < 4; ++i) cudaMemset(data + i, 0, static_cast<std::size_t>(written));
    });
}

// All numbers of a vector are read.
TEST(UnwrittenMemory, vectors_that_are_written_in_part) {
    EXPECT_TRUE(has(findings_of_reading_parts<float4>(0), FindingKind::uninitialised_global,
                    kTransferBegin + 3));
    for (const int written : {1, 4, 12}) {
        const auto found = findings_of_reading_parts<float4>(written);
        ASSERT_EQ(found.size(), 1u) << text_of(found);
        EXPECT_TRUE(has(found, FindingKind::partial_vector, kTransferBegin + 3));
        const std::string first = "first byte " + std::to_string(written) + " of allocation";
        EXPECT_NE(found[0].what.find(first), std::string::npos) << found[0].what;
    }
    EXPECT_TRUE(is_silent(findings_of_reading_parts<float4>(16)));
    // A list begins or ends inside a vector.
    for (const int first : {0, 1}) {
        EXPECT_TRUE(is_silent(findings_of_reading<float4>(1, [first](float4* data) {
            cudaMemset(reinterpret_cast<float*>(data) + first, 0, 3 * sizeof(float));
        })));
    }
}

struct Spaced {
    char letter;
    double number;
};

// The gaps of a struct need not be written.
TEST(UnwrittenMemory, structs_that_are_written_in_part) {
    EXPECT_TRUE(has(findings_of_reading_parts<Spaced>(0), FindingKind::uninitialised_global,
                    kTransferBegin + 3));
    EXPECT_TRUE(is_silent(findings_of_reading_parts<Spaced>(1)));
}

TEST(UnwrittenMemory, what_copies_write) {
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
    // From device memory whose last element is unwritten.
    const auto copied = findings_of_reading<int>(kThreads, [](int* data) {
        int* const other = unwritten_array<int>(kThreads);
        cudaMemset(other, 0, (kThreads - 1) * sizeof(int));
        cudaMemset(data, 0, kThreads * sizeof(int));
        cudaMemcpy(data, other, kThreads * sizeof(int), cudaMemcpyDeviceToDevice);
    });
    ASSERT_TRUE(has(copied, FindingKind::uninitialised_global, kTransferBegin + 3));
    EXPECT_EQ(copied[0].count, 1u);
}

__global__ void write_kernel(int* out, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = i;
}

TEST(UnwrittenMemory, what_a_kernel_has_written_before) {
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

TEST(UnwrittenMemory, updates_of_uninitialised_global_memory) {
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

// Results that functions of the C library return through pointers.
TEST(UnwrittenMemory, results_through_pointers) {
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
            static_cast<void>(cudaGetLastError());  // of the kernel that may have ended
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

TEST(UnwrittenMemory, memory_of_both_sides_is_never_uninitialised) {
    EXPECT_TRUE(is_silent(findings_of([] {
        int* managed = nullptr;
        int* pinned = nullptr;
        cudaMallocManaged(&managed, kThreads * sizeof(int));
        cudaMallocHost(&pinned, kThreads * sizeof(int));
        transfer_kernel<<<1, kThreads>>>(managed, unwritten_array<int>(kThreads), kThreads);
        transfer_kernel<<<1, kThreads>>>(pinned, unwritten_array<int>(kThreads), kThreads);
    })));
}

// What a test does with a copy of device memory: 4 elements, of which the first 3 are written.
template <class Use>
std::vector<Finding> findings_of_copying_back(Use use, int* line) {
    return findings_of([&] {
        int* const data = unwritten_array<int>(4);
        cudaMemset(data, 0, 3 * sizeof(int));
        std::vector<int> host(4);
        *line = __LINE__ + 1;
        cudaMemcpy(host.data(), data, 4 * sizeof(int), cudaMemcpyDeviceToHost);
        use(host);
    });
}

TEST(UnwrittenMemory, the_host_uses_what_it_copied_back) {
    int line = 0;
    int copied = 0;
    volatile int sink = 0;
    for (int element = 0; element < 4; ++element) {
        const auto found = findings_of_copying_back(
            [&](std::vector<int>& host) {
                for (int again = 0; again < 2; ++again) {
                    line = __LINE__ + 1;
                    sink = host[element];
                }
            },
            &copied);
        EXPECT_EQ(found.size(), element == 3 ? 1u : 0u) << text_of(found);
        if (element < 3) continue;
        ASSERT_TRUE(has(found, FindingKind::uninitialised_global, line));
        EXPECT_NE(found[0].what.find("unwritten_memory_test.cu:" + std::to_string(copied)),
                  std::string::npos)
            << found[0].what;
        EXPECT_NE(found[0].what.find("byte 12 of allocation"), std::string::npos);
    }
    // By a function of the standard library, by a copy of the copy, and in pinned memory.
    EXPECT_TRUE(has(
        findings_of_copying_back(
            [&](std::vector<int>& host) { sink = std::accumulate(host.begin(), host.end(), 0); },
            &copied),
        FindingKind::uninitialised_global, 0));
    EXPECT_TRUE(has(findings_of_copying_back(
                        [&](std::vector<int>& host) {
                            const std::vector<int> other = host;
                            sink = other[3];
                        },
                        &copied),
                    FindingKind::uninitialised_global, 0));
    EXPECT_TRUE(has(findings_of([&] {
                        int* pinned = nullptr;
                        cudaMallocHost(&pinned, 4);
                        cudaMemcpy(pinned, unwritten_array<int>(1), 4, cudaMemcpyDeviceToHost);
                        sink = *pinned;
                    }),
                    FindingKind::uninitialised_global, 0));
}

// Only the end of what is copied on is unwritten, and no older copy lies below it.
TEST(UnwrittenMemory, the_host_copies_on_what_it_copied_back) {
    static int host[4];
    static int other[4];
    volatile std::size_t bytes = sizeof host;
    volatile int sink = 0;
    EXPECT_TRUE(has(findings_of([&] {
                        int* const data = unwritten_array<int>(4);
                        cudaMemset(data, 0, 3 * sizeof(int));
                        cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
                        std::memcpy(other, host, bytes);
                        sink = other[3];
                    }),
                    FindingKind::uninitialised_global, 0));
}

struct Three {
    int of[3];
};

TEST(UnwrittenMemory, the_host_assigns_a_structure_that_it_copied_back) {
    static Three host;
    static Three other;
    Three* volatile to = &other;
    volatile int sink = 0;
    for (int element = 0; element < 3; ++element) {
        const auto found = findings_of([&] {
            Three* const data = unwritten_array<Three>(1);
            cudaMemset(data, 0, 2 * sizeof(int));
            cudaMemcpy(&host, data, sizeof host, cudaMemcpyDeviceToHost);
            *to = host;
            sink = to->of[element];
        });
        EXPECT_EQ(found.size(), element == 2 ? 1u : 0u) << text_of(found);
    }
}

TEST(UnwrittenMemory, the_host_writes_over_what_it_copied_back) {
    int line = 0;
    volatile int sink = 0;
    const auto is_silent_after = [&](auto write) {
        return is_silent(findings_of_copying_back(
            [&](std::vector<int>& host) {
                write(host);
                sink = host[3];
            },
            &line));
    };
    EXPECT_TRUE(is_silent_after([](std::vector<int>& host) { host[3] = 0; }));
    EXPECT_TRUE(is_silent_after([](std::vector<int>& host) {
        volatile std::size_t bytes = 4;  // the compiler leaves the call
        std::memset(&host[3], 0, bytes);
    }));
    EXPECT_TRUE(is_silent_after([](std::vector<int>& host) { host = {1, 2, 3, 4}; }));
    // Code that is not observed.
    EXPECT_TRUE(is_silent_after([](std::vector<int>& host) { std::sscanf("5", "%d", &host[3]); }));
    EXPECT_TRUE(is_silent_after([](std::vector<int>& host) {
        cudaMemcpy(host.data(), device_array<int>(4), 16, cudaMemcpyDeviceToHost);
    }));
}

TEST(UnwrittenMemory, the_host_copies_gaps_back) {
    EXPECT_TRUE(is_silent(findings_of([] {
        auto* const data = unwritten_array<Spaced>(2);
        for (int i = 0; i < 2; ++i) {
            cudaMemset(&data[i].letter, 7, 1);
            cudaMemset(&data[i].number, 0, sizeof(double));
        }
        Spaced host[2];
        cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
        const std::vector<Spaced> copies(host, host + 2);
        EXPECT_EQ(copies[1].letter + copies[0].number, 7.0);
    })));
    // Managed memory is zero at first.
    EXPECT_TRUE(is_silent(findings_of([] {
        int* managed = nullptr;
        cudaMallocManaged(&managed, 4);
        EXPECT_EQ(*managed, 0);
    })));
}

TEST(UnwrittenMemory, freed_memory_is_uninitialised_again) {
    EXPECT_TRUE(has(findings_of([] {
                        cudaFree(device_array<int>(kThreads));
                        transfer_kernel<<<1, kThreads>>>(unwritten_array<int>(kThreads),
                                                         unwritten_array<int>(kThreads), kThreads);
                    }),
                    FindingKind::uninitialised_global, kTransferBegin + 3));
}

}  // namespace
