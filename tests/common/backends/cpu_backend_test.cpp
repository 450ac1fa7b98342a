// SPDX-License-Identifier: MIT
// The host as a device: its clock, its memory and its limits.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "common/backends/backend.hpp"
#include "common/base/error.hpp"
#include "common/harness/phase_timer.hpp"
#include "tests/common/scratch_folder.hpp"

namespace {

TEST(CpuBackend, SaysWhatItIs) {
    const auto backend = course::open_backend(0);
    EXPECT_EQ(backend->engine(), "cpu");
    EXPECT_FALSE(backend->device_name().empty());
    EXPECT_GT(backend->free_memory_bytes(), 1 << 20);
    EXPECT_THROW(course::open_backend(1), course::UsageError);
}

TEST(CpuBackend, ItsKernelClockIsAWallClock) {
    const auto backend = course::open_backend(0);
    backend->start_kernel_clock();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const double milliseconds = backend->stop_kernel_clock_ms();
    EXPECT_GE(milliseconds, 5.0);
    EXPECT_LT(milliseconds, 5000.0);
}

TEST(CpuBackend, WorkOfTheHostHasItsTime) {
    const auto backend = course::open_backend(0);
    course::PhaseTimer timer(*backend);
    timer.begin(course::Phase::kKernels);
    timer.begin(course::Phase::kHost);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    timer.end();
    EXPECT_GE(timer.times().host_ms, 5.0);
    EXPECT_GE(timer.times().total_ms, timer.times().host_ms);
}

TEST(CpuBackend, LimitsAreMeasuredOnceAndKept) {
    course_test::ScratchFolder folder;
    setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
    const course::DeviceLimits first = course::open_backend(0)->limits();
    EXPECT_GT(first.bytes_per_second, 1e8);
    EXPECT_EQ(first.operations_per_second, 0.0);
    const course::DeviceLimits second = course::open_backend(0)->limits();
    EXPECT_EQ(first.bytes_per_second, second.bytes_per_second);
    unsetenv("XDG_CACHE_HOME");
}

}  // namespace
