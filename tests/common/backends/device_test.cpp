// SPDX-License-Identifier: MIT
// The owners of device memory, streams and events, and the CUDA backend: one source for the GPU
// and for the CPU engine.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <limits>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/backends/backend.hpp"
#include "common/base/error.hpp"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/stream.hpp"
#include "common/harness/phase_timer.hpp"

namespace {

using course::cuda_check;
using course::CudaError;
using course::DeviceBuffer;
using course::Event;
using course::PinnedBuffer;
using course::Stream;

TEST(CudaCheck, NamesPlaceFunctionAndError) {
    EXPECT_NO_THROW(cuda_check(cudaSuccess));
    try {
        cuda_check(cudaErrorInvalidValue);
        FAIL() << "no error was thrown";
    } catch (const CudaError& error) {
        const std::string message = error.what();
        EXPECT_NE(message.find("device_test.cpp:"), std::string::npos) << message;
        EXPECT_NE(message.find("TestBody"), std::string::npos) << message;
        EXPECT_NE(message.find("cudaErrorInvalidValue"), std::string::npos) << message;
        EXPECT_EQ(error.status(), cudaErrorInvalidValue);
    }
}

TEST(CudaCheck, InDestructorsOnlyPrints) {
    testing::internal::CaptureStderr();
    course::cuda_check_nothrow(cudaErrorInvalidValue);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("cudaErrorInvalidValue"),
              std::string::npos);
}

TEST(DeviceBuffer, HoldsWhatIsCopiedIntoIt) {
    std::vector<int> h_in(1000);
    std::iota(h_in.begin(), h_in.end(), 0);
    DeviceBuffer<int> d_values(1000);
    EXPECT_EQ(d_values.count(), 1000);
    EXPECT_EQ(d_values.bytes(), 4000U);
    cuda_check(cudaMemcpy(d_values.data(), h_in.data(), d_values.bytes(), cudaMemcpyHostToDevice));
    DeviceBuffer<int> d_moved(std::move(d_values));
    std::vector<int> h_out(1000);
    cuda_check(cudaMemcpy(h_out.data(), d_moved.data(), d_moved.bytes(), cudaMemcpyDeviceToHost));
    EXPECT_EQ(h_out, h_in);
}

TEST(DeviceBuffer, MovesLeaveNothingBehind) {
    DeviceBuffer<double> first(3);
    const double* memory = first.data();
    DeviceBuffer<double> second(std::move(first));
    EXPECT_EQ(second.data(), memory);
    EXPECT_EQ(first.data(), nullptr);  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(first.count(), 0);
    DeviceBuffer<double> third;
    third = std::move(second);
    EXPECT_EQ(third.data(), memory);
    EXPECT_EQ(third.count(), 3);
}

TEST(DeviceBuffer, SizesThatCannotBe) {
    EXPECT_EQ(DeviceBuffer<int>(0).data(), nullptr);
    EXPECT_THROW(DeviceBuffer<int>(-1), std::invalid_argument);
    EXPECT_THROW(DeviceBuffer<int>(std::numeric_limits<std::int64_t>::max()), std::length_error);
    EXPECT_THROW(PinnedBuffer<int>(-1), std::invalid_argument);
}

TEST(DeviceBuffer, AFailureSaysHowMuchWasAskedAndIsFree) {
    try {
        DeviceBuffer<char> too_large(std::int64_t{1} << 50);
        FAIL() << "a petabyte was allocated";
    } catch (const CudaError& error) {
        const std::string message = error.what();
        EXPECT_EQ(error.status(), cudaErrorMemoryAllocation);
        EXPECT_NE(message.find("1125899906842624 bytes of device memory requested"),
                  std::string::npos)
            << message;
        EXPECT_NE(message.find("bytes of the device free"), std::string::npos) << message;
    }
    // Reported once: a later launch must not inherit it.
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST(PinnedBuffer, IsHostMemory) {
    PinnedBuffer<int> h_values(100);
    std::iota(h_values.data(), h_values.data() + h_values.count(), 5);
    EXPECT_EQ(h_values.data()[99], 104);
    PinnedBuffer<int> h_moved(std::move(h_values));
    EXPECT_EQ(h_moved.count(), 100);
    DeviceBuffer<int> d_values(100);
    Stream stream;
    cuda_check(cudaMemcpyAsync(d_values.data(), h_moved.data(), d_values.bytes(),
                               cudaMemcpyHostToDevice, stream.get()));
    PinnedBuffer<int> h_out(100);
    cuda_check(cudaMemcpyAsync(h_out.data(), d_values.data(), d_values.bytes(),
                               cudaMemcpyDeviceToHost, stream.get()));
    stream.synchronize();
    EXPECT_EQ(h_out.data()[0], 5);
    EXPECT_EQ(h_out.data()[99], 104);
}

TEST(Stream, EventsMeasureIt) {
    for (const auto kind : {course::StreamKind::kBlocking, course::StreamKind::kNonBlocking}) {
        Stream stream(kind);
        Event start;
        Event stop;
        DeviceBuffer<char> d_bytes(1 << 20);
        start.record(stream);
        cuda_check(cudaMemsetAsync(d_bytes.data(), 1, d_bytes.bytes(), stream.get()));
        stop.record(stream);
        const float milliseconds = course::milliseconds_between(start, stop);
        EXPECT_GE(milliseconds, 0.0F);
        EXPECT_LT(milliseconds, 10000.0F);
    }
}

TEST(Stream, MovesLeaveNothingBehind) {
    Stream first;
    const cudaStream_t handle = first.get();
    Stream second(std::move(first));
    EXPECT_EQ(second.get(), handle);
    Event event;
    Event moved(std::move(event));
    moved.record();
    moved.synchronize();
}

TEST(Backend, SaysWhatItIs) {
    const auto backend = course::open_backend(0);
#ifdef COURSE_EMULATED
    EXPECT_EQ(backend->engine(), "emu");
    EXPECT_EQ(backend->limits().bytes_per_second, 0.0);
#else
    EXPECT_EQ(backend->engine(), "gpu");
    const course::DeviceLimits limits = backend->limits();
    EXPECT_GT(limits.bytes_per_second, 1e9);
    EXPECT_LE(limits.bytes_per_second, limits.peak_bytes_per_second);
    EXPECT_GT(limits.l2_bytes_per_second, limits.bytes_per_second);
    EXPECT_LE(limits.l2_bytes_per_second, limits.peak_l2_bytes_per_second);
    EXPECT_GT(limits.operations_per_second, 1e11);
#endif
    EXPECT_FALSE(backend->device_name().empty());
    EXPECT_GT(backend->free_memory_bytes(), 0);
}

TEST(Backend, ADeviceThatIsNotThereIsAUsageError) {
    EXPECT_THROW(course::open_backend(1000), course::UsageError);
}

TEST(Backend, TimesPhases) {
    const auto backend = course::open_backend(0);
    course::PhaseTimer timer(*backend);
    timer.begin(course::Phase::kSetup);
    DeviceBuffer<char> d_bytes(1 << 22);
    timer.begin(course::Phase::kKernels);
    cuda_check(cudaMemset(d_bytes.data(), 0, d_bytes.bytes()));
    timer.end();
    EXPECT_GT(timer.times().setup_ms, 0.0);
    EXPECT_GE(timer.times().kernels_ms, 0.0);
    EXPECT_GE(timer.times().total_ms, timer.times().setup_ms);
}

// Kernels are queued, but what the host does between them has the host's time.
TEST(Backend, WorkOfTheHostHasItsTime) {
    const auto backend = course::open_backend(0);
    course::PhaseTimer timer(*backend);
    DeviceBuffer<char> d_bytes(1 << 10);
    for (const course::Phase phase : {course::Phase::kHost, course::Phase::kSetup}) {
        timer.begin(course::Phase::kKernels);
        cuda_check(cudaMemsetAsync(d_bytes.data(), 0, d_bytes.bytes()));
        timer.begin(phase);
        cuda_check(cudaMemsetAsync(d_bytes.data(), 1, d_bytes.bytes()));
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    timer.begin(course::Phase::kKernels);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // an idle device
    cuda_check(cudaMemsetAsync(d_bytes.data(), 0, d_bytes.bytes()));
    timer.end();
    const course::PhaseTimes& times = timer.times();
    EXPECT_GE(times.host_ms, 20.0);
    EXPECT_GE(times.setup_ms, 20.0);
    EXPECT_GE(times.kernels_ms, 19.9);  // a GPU's clock is not the host's
    EXPECT_GE(times.total_ms, 60.0);
}

}  // namespace

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    try {
        course::open_backend(0);
    } catch (const course::NoDeviceError& error) {
        std::fprintf(stderr, "skipped: %s\n", error.what());
        return course::kExitNoDevice;
    }
    return RUN_ALL_TESTS();
}
