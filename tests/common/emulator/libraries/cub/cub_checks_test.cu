// SPDX-License-Identifier: MIT
// The checks see what CUB's algorithms for a whole device read and write.
#include <gtest/gtest.h>

#include <cub/cub.cuh>

#include "checks_test.hpp"

namespace {

constexpr int kCount = 1000;

// A fresh device, and no findings in the end.
struct SilentDevice {
    SilentDevice() { counting::clear_findings(); }
    ~SilentDevice() {
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        EXPECT_TRUE(is_silent(counting::findings()));
        counting::clear_findings();
        cudaDeviceReset();
    }
};

template <class T>
T first_of(const T* data) {
    T value{};
    EXPECT_EQ(cudaMemcpy(&value, data, sizeof value, cudaMemcpyDeviceToHost), cudaSuccess);
    return value;
}

// Temporary storage for the call, which gets it and its size.
template <class Call>
cudaError_t call_twice(Call call) {
    void* storage = nullptr;
    std::size_t bytes = 0;
    EXPECT_EQ(call(storage, bytes), cudaSuccess);
    EXPECT_EQ(cudaMalloc(&storage, bytes), cudaSuccess);
    return call(storage, bytes);
}

TEST(CubChecks, InputsAndOutputsHaveTheirSize) {
    const auto error_of = [](int inputs, int outputs) {
        cudaError_t error = cudaSuccess;
        findings_of([&] {
            const int* in = device_array<int>(inputs);
            int* out = device_array<int>(outputs);
            error = call_twice([&](void* storage, std::size_t& bytes) {
                return cub::DeviceScan::ExclusiveSum(storage, bytes, in, out, kCount);
            });
        });
        return error;
    };
    EXPECT_EQ(error_of(kCount, kCount), cudaSuccess);
    EXPECT_EQ(error_of(kCount - 1, kCount), cudaErrorIllegalAddress);
    EXPECT_EQ(error_of(kCount, kCount - 1), cudaErrorIllegalAddress);
}

TEST(CubChecks, AnOutputOfUnknownSizeIsCheckedWhenItIsWritten) {
    const auto error_of = [](int outputs) {
        cudaError_t error = cudaSuccess;
        findings_of([&] {
            const int* in = device_array<int>(kCount);  // zeros: one is selected
            int* out = device_array<int>(outputs);
            int* number = device_array<int>(1);
            const auto is_zero = [] __device__(int value) { return value == 0; };
            call_twice([&](void* storage, std::size_t& bytes) {
                return cub::DeviceSelect::Unique(storage, bytes, in, out, number, kCount);
            });
            EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
            call_twice([&](void* storage, std::size_t& bytes) {
                return cub::DeviceSelect::If(storage, bytes, in, out, number, kCount, is_zero);
            });
            error = cudaDeviceSynchronize();
        });
        return error;
    };
    EXPECT_EQ(error_of(kCount), cudaSuccess);
    EXPECT_EQ(error_of(kCount - 1), cudaErrorIllegalAddress);
}

TEST(CubChecks, TemporaryStorageIsAsLargeAsWasSaid) {
    const int* in = device_array<int>(kCount);
    int* out = device_array<int>(kCount);
    void* storage = nullptr;
    std::size_t bytes = 0;
    ASSERT_EQ(cub::DeviceRadixSort::SortKeys(storage, bytes, in, out, kCount), cudaSuccess);
    EXPECT_GE(bytes, kCount * sizeof(int));
    ASSERT_EQ(cudaMalloc(&storage, bytes), cudaSuccess);
    std::size_t fewer = bytes - 1;
    EXPECT_EQ(cub::DeviceRadixSort::SortKeys(storage, fewer, in, out, kCount),
              cudaErrorInvalidValue);
    EXPECT_EQ(cub::DeviceRadixSort::SortKeys(storage, bytes, in, out, kCount), cudaSuccess);
    cudaDeviceReset();
}

__global__ void fill_kernel(int* data) { data[threadIdx.x] = threadIdx.x; }

// The host waits for both in the end.
std::vector<Finding> findings_of_sum(bool has_event) {
    return findings_of([&] {
        int* data = device_array<int>(kCount);
        int* sum = device_array<int>(1);
        cudaDeviceSynchronize();
        cudaStream_t streams[2];
        for (cudaStream_t& stream : streams) {
            cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        }
        fill_kernel<<<1, kCount, 0, streams[0]>>>(data);
        if (has_event) {
            cudaEvent_t event;
            cudaEventCreate(&event);
            cudaEventRecord(event, streams[0]);
            cudaStreamWaitEvent(streams[1], event, 0);
        }
        call_twice([&](void* storage, std::size_t& bytes) {
            return cub::DeviceReduce::Sum(storage, bytes, data, sum, kCount, streams[1]);
        });
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        if (!has_event) return;
        int result = 0;
        EXPECT_EQ(cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDefault), cudaSuccess);
        EXPECT_EQ(result, kCount * (kCount - 1) / 2);
    });
}

TEST(CubChecks, StreamsOrderTheAlgorithms) {
    EXPECT_TRUE(is_silent(findings_of_sum(true)));
    EXPECT_TRUE(has(findings_of_sum(false), FindingKind::race_between_streams, 0));
}

__global__ void racy_kernel(int* out, bool waits) {
    using Exchange = cub::BlockExchange<int, 64, 2>;
    __shared__ typename Exchange::TempStorage storage;
    int items[2] = {static_cast<int>(threadIdx.x), 7};
    Exchange(storage).BlockedToStriped(items);
    if (waits) __syncthreads();
    Exchange(storage).BlockedToStriped(items);
    out[threadIdx.x] = items[0];
}

TEST(CubChecks, TemporaryStorageIsUsedAgainAfterABarrier) {
    EXPECT_TRUE(
        is_silent(findings_of([] { racy_kernel<<<1, 64>>>(device_array<int>(64), true); })));
    EXPECT_TRUE(has(findings_of([] { racy_kernel<<<1, 64>>>(device_array<int>(64), false); }),
                    FindingKind::race_in_block, 0));
}

// Iterators that the toolkit's newest CUB leaves to Thrust.
TEST(CubChecks, IteratorsAreComputed) {
    struct Square {
        int operator()(int x) const { return x * x; }
    };
    using Counting = cub::CountingInputIterator<int>;
    const SilentDevice scope;
    int* out = device_array<int>(4);
    const auto sum = [&](auto input, int count) {
        call_twice([&](void* storage, std::size_t& bytes) {
            return cub::DeviceReduce::Sum(storage, bytes, input, out, count);
        });
        return first_of(out);
    };
    EXPECT_EQ(sum(Counting(3), 5), 3 + 4 + 5 + 6 + 7);
    EXPECT_EQ(sum(Counting(3) + 2, 2), 5 + 6);
    EXPECT_EQ(sum(cub::ConstantInputIterator<int>(9), 100), 900);
    const cub::TransformInputIterator<int, Square, Counting> squares(Counting(0), Square());
    EXPECT_EQ(sum(squares, 4), 0 + 1 + 4 + 9);
    call_twice([&](void* storage, std::size_t& bytes) {
        return cub::DeviceSelect::If(storage, bytes, Counting(0), cub::DiscardOutputIterator<>(),
                                     out, 100, [](int x) { return x % 7 == 0; });
    });
    EXPECT_EQ(first_of(out), 15);
}

TEST(CubChecks, TheFirstExtremeAndItsPlace) {
    const SilentDevice scope;
    const std::vector<float> values{3, -1, 7, 7, -1, 2};
    float* in = device_array<float>(values.size());
    auto* out = device_array<cub::KeyValuePair<int, float>>(1);
    cudaMemcpy(in, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
    call_twice([&](void* storage, std::size_t& bytes) {
        return cub::DeviceReduce::ArgMax(storage, bytes, in, out, 6);
    });
    EXPECT_EQ(first_of(out).key, 2);
    EXPECT_EQ(first_of(out).value, 7.0f);
    int* index = device_array<int>(1);
    float* least = device_array<float>(1);
    call_twice([&](void* storage, std::size_t& bytes) {
        return cub::DeviceReduce::ArgMin(storage, bytes, in, least, index, 6);
    });
    EXPECT_EQ(first_of(index), 1);
    EXPECT_EQ(first_of(least), -1.0f);
}

TEST(CubChecks, MergesTransformsAndBatches) {
    const SilentDevice device;
    const std::vector<int> values{1, 4, 4, 9, 0, 4, 5};
    int* in = device_array<int>(7);
    int* out = device_array<int>(7);
    int* places = device_array<int>(7);
    cudaMemcpy(in, values.data(), 7 * sizeof(int), cudaMemcpyHostToDevice);
    call_twice([&](void* storage, std::size_t& bytes) {
        using Places = cub::CountingInputIterator<int>;
        return cub::DeviceMerge::MergePairs(storage, bytes, in, Places(0), 4, in + 4, Places(10), 3,
                                            out, places);
    });
    const auto read = [](const int* data) {
        std::vector<int> copy(7);
        cudaMemcpy(copy.data(), data, 7 * sizeof(int), cudaMemcpyDeviceToHost);
        return copy;
    };
    EXPECT_EQ(read(out), (std::vector<int>{0, 1, 4, 4, 4, 5, 9}));
    EXPECT_EQ(read(places), (std::vector<int>{10, 0, 1, 2, 11, 12, 3}));
    EXPECT_EQ(cub::DeviceTransform::Transform(std::make_tuple(in, out), places, 7,
                                              [](int a, int b) { return 10 * a + b; }),
              cudaSuccess);
    EXPECT_EQ(read(places), (std::vector<int>{10, 41, 44, 94, 4, 45, 59}));
    const std::vector<const void*> from{in, in + 3};
    const std::vector<void*> to{out + 4, out};
    const std::vector<int> sizes{2 * sizeof(int), 4 * sizeof(int)};
    auto** d_from = device_array<const void*>(2);
    auto** d_to = device_array<void*>(2);
    int* d_sizes = device_array<int>(2);
    cudaMemcpy(d_from, from.data(), 2 * sizeof(void*), cudaMemcpyHostToDevice);
    cudaMemcpy(d_to, to.data(), 2 * sizeof(void*), cudaMemcpyHostToDevice);
    cudaMemcpy(d_sizes, sizes.data(), 2 * sizeof(int), cudaMemcpyHostToDevice);
    call_twice([&](void* storage, std::size_t& bytes) {
        return cub::DeviceMemcpy::Batched(storage, bytes, d_from, d_to, d_sizes, 2);
    });
    EXPECT_EQ(read(out), (std::vector<int>{9, 0, 4, 5, 1, 4, 9}));
}

__global__ void tenths_kernel(float* data) { data[blockIdx.x * blockDim.x + threadIdx.x] = 0.1f; }

// One sum after the other would be off by hundreds.
TEST(CubChecks, SumsOfManyFloatsKeepTheirDigits) {
    const SilentDevice scope;
    constexpr int kMany = 1 << 20;
    float* in = device_array<float>(kMany);
    float* out = device_array<float>(1);
    tenths_kernel<<<kMany / 256, 256>>>(in);
    call_twice([&](void* storage, std::size_t& bytes) {
        return cub::DeviceReduce::Sum(storage, bytes, in, out, kMany);
    });
    EXPECT_NEAR(first_of(out), kMany * 0.1, 0.2);
}

// ---- Storage that is used again too early

constexpr int kThreads = 64;
using Decode = cub::BlockRunLengthDecode<int, kThreads, 1, 2>;
using Rank = cub::BlockRadixRankMatch<kThreads, 4, false>;

NEXT_LINE(kFirstUse);
__global__ void decode_kernel(int* out, bool waits) {
    __shared__ union {
        Decode::TempStorage decode;
        int numbers[kThreads];
    } shared;
    int values[1] = {static_cast<int>(threadIdx.x)};
    int lengths[1] = {2};
    int items[2];
    unsigned int total;
    Decode(shared.decode, values, lengths, total).RunLengthDecode(items);
    if (waits) __syncthreads();
    shared.numbers[(threadIdx.x + 40) % kThreads] = items[0];
    __syncthreads();
    out[threadIdx.x] = shared.numbers[threadIdx.x];
}
NEXT_LINE(kSecondUse);
__global__ void rank_kernel(int* out, bool waits) {
    __shared__ Rank::TempStorage storage;
    unsigned int keys[1] = {threadIdx.x * 7};
    int ranks[1];
    Rank(storage).RankKeys(keys, ranks, cub::BFEDigitExtractor<unsigned int>(0, 4));
    if (waits) __syncthreads();
    keys[0] += ranks[0];
    Rank(storage).RankKeys(keys, ranks, cub::BFEDigitExtractor<unsigned int>(2, 4));
    out[threadIdx.x] = ranks[0];
}

TEST(CubChecks, StorageIsUsedAgainAfterABarrierOnly) {
    const auto findings = [](auto kernel, bool waits) {
        return findings_of([&] { kernel<<<1, kThreads>>>(device_array<int>(kThreads), waits); });
    };
    EXPECT_TRUE(is_silent(findings(decode_kernel, true)));
    EXPECT_TRUE(has(findings(decode_kernel, false), FindingKind::race_in_block, kFirstUse + 11));
    EXPECT_TRUE(is_silent(findings(rank_kernel, true)));
    EXPECT_TRUE(has(findings(rank_kernel, false), FindingKind::race_in_block, kSecondUse + 7,
                    kSecondUse + 4));
}

}  // namespace
