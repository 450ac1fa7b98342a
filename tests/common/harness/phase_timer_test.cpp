// SPDX-License-Identifier: MIT
#include "common/harness/phase_timer.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include "fake_backend.hpp"
#include "fake_ranks.hpp"

namespace {

using course::Phase;
using course::PhaseTimer;
using course_test::FakeBackend;

void sleep_ms(int milliseconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

TEST(PhaseTimer, EachPhaseEndsWithTheDeviceIdle) {
    FakeBackend backend;
    PhaseTimer timer(backend);
    timer.begin(Phase::kSetup);
    timer.begin(Phase::kCopyIn);
    timer.begin(Phase::kKernels);
    timer.begin(Phase::kCopyOut);
    timer.end();
    // Once before the first phase, then at the end of each; the kernel clock waits by itself.
    EXPECT_EQ(backend.log, "sync sync sync start stop sync ");
    EXPECT_FALSE(timer.running());
    timer.end();  // again: nothing
    EXPECT_EQ(backend.log, "sync sync sync start stop sync ");
}

TEST(PhaseTimer, AllRanksBeginTheirKernelsAtOneTime) {
    FakeBackend backend;
    course_test::FakeRanks ranks;
    backend.join_ranks(ranks);
    PhaseTimer timer(backend);
    timer.begin(Phase::kSetup);
    timer.begin(Phase::kCopyIn);
    EXPECT_EQ(ranks.log, "");
    timer.begin(Phase::kKernels);
    EXPECT_EQ(ranks.log, "meet ");
    timer.begin(Phase::kCopyOut);
    timer.end();
    EXPECT_EQ(ranks.log, "meet ");
}

TEST(PhaseTimer, KernelsAreTimedByTheDevice) {
    FakeBackend backend;
    backend.kernel_ms = 1.5;
    PhaseTimer timer(backend);
    timer.begin(Phase::kKernels);
    sleep_ms(5);
    timer.end();
    timer.begin(Phase::kKernels);
    timer.end();
    EXPECT_EQ(timer.times().kernels_ms, 3.0);
    EXPECT_GE(timer.times().total_ms, 5.0);
}

TEST(PhaseTimer, OtherPhasesAddUpByTheWallClock) {
    FakeBackend backend;
    PhaseTimer timer(backend);
    timer.begin(Phase::kSetup);
    sleep_ms(4);
    timer.begin(Phase::kCopyIn);
    sleep_ms(2);
    timer.begin(Phase::kSetup);
    sleep_ms(4);
    timer.end();
    sleep_ms(3);  // between phases: in the total only
    timer.begin(Phase::kCopyOut);
    sleep_ms(2);
    timer.end();
    const course::PhaseTimes& times = timer.times();
    EXPECT_GE(times.setup_ms, 8.0);
    EXPECT_GE(times.copy_in_ms, 2.0);
    EXPECT_GE(times.copy_out_ms, 2.0);
    EXPECT_EQ(times.kernels_ms, 0.0);
    EXPECT_GE(times.total_ms, times.setup_ms + times.copy_in_ms + times.copy_out_ms + 3.0 - 1e-6);
}

TEST(PhaseTimer, WorkOfTheHostIsNoTimeOfTheKernels) {
    FakeBackend backend;
    backend.kernel_ms = 1.5;
    PhaseTimer timer(backend);
    timer.begin(Phase::kKernels);
    timer.begin(Phase::kHost);
    sleep_ms(4);
    timer.begin(Phase::kKernels);
    timer.begin(Phase::kHost);
    sleep_ms(4);
    timer.end();
    EXPECT_GE(timer.times().host_ms, 8.0);
    EXPECT_EQ(timer.times().kernels_ms, 3.0);
    EXPECT_GE(timer.times().total_ms, timer.times().host_ms);
    EXPECT_EQ(backend.log, "sync start stop sync start stop sync ");
}

TEST(PhaseTimer, KeepsWhatTheStageDeclares) {
    FakeBackend backend;
    PhaseTimer timer(backend);
    timer.note_grid(128, 256);
    timer.declare_work({8.0, 16.0});
    EXPECT_EQ(timer.grid().blocks, 128);
    EXPECT_EQ(timer.grid().threads, 256);
    EXPECT_EQ(timer.work().bytes, 8.0);
    EXPECT_EQ(timer.work().operations, 16.0);
}

TEST(PhaseTimer, AFailureOfTheDeviceEndsThePhase) {
    FakeBackend backend;
    PhaseTimer timer(backend);
    timer.begin(Phase::kCopyIn);
    backend.fail = true;
    EXPECT_THROW(timer.end(), std::runtime_error);
    EXPECT_FALSE(timer.running());
}

}  // namespace
