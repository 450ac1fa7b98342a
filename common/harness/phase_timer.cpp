// SPDX-License-Identifier: MIT
#include "common/harness/phase_timer.hpp"

#include <utility>

namespace course {

namespace {

const char* name_of(Phase phase) {
    switch (phase) {
        case Phase::kSetup:
            return "setup";
        case Phase::kCopyIn:
            return "copy in";
        case Phase::kKernels:
            return "kernels";
        case Phase::kCopyOut:
            return "copy out";
        case Phase::kHost:
            return "host";
    }
    return "";
}

double milliseconds(std::chrono::steady_clock::duration duration) {
    return std::chrono::duration<double, std::milli>(duration).count();
}

}  // namespace

PhaseTimer::PhaseTimer(Backend& backend) : backend_(backend) {}

PhaseTimer::~PhaseTimer() = default;

void PhaseTimer::begin(Phase phase) {
    if (running_) {
        end();
    } else {
        // Work queued before the first phase must not be timed as part of this phase.
        backend_.synchronize();
    }
    if (phase == Phase::kKernels) backend_.ranks().meet();
    range_.emplace(name_of(phase));
    phase_begin_ = Clock::now();
    if (!first_begin_) first_begin_ = phase_begin_;
    if (phase == Phase::kKernels) backend_.start_kernel_clock();
    running_ = phase;
}

void PhaseTimer::end() {
    if (!running_) return;
    // The phase has ended, even if the device reports an error below.
    const Phase phase = *std::exchange(running_, std::nullopt);
    double kernel_clock_ms = 0.0;
    if (phase == Phase::kKernels) {
        kernel_clock_ms = backend_.stop_kernel_clock_ms();
    } else {
        backend_.synchronize();
    }
    const Clock::time_point now = Clock::now();
    range_.reset();
    const double elapsed_ms = milliseconds(now - phase_begin_);
    switch (phase) {
        case Phase::kSetup:
            times_.setup_ms += elapsed_ms;
            break;
        case Phase::kCopyIn:
            times_.copy_in_ms += elapsed_ms;
            break;
        case Phase::kKernels:
            times_.kernels_ms += kernel_clock_ms;
            break;
        case Phase::kCopyOut:
            times_.copy_out_ms += elapsed_ms;
            break;
        case Phase::kHost:
            times_.host_ms += elapsed_ms;
            break;
    }
    times_.total_ms = milliseconds(now - *first_begin_);
}

}  // namespace course
