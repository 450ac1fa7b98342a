// SPDX-License-Identifier: MIT
// Times the phases of a stage's function: setup, copy in, kernels, copy out, host, and the total.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "common/backends/backend.hpp"
#include "common/cuda/nvtx_range.hpp"
#include "common/limits/device_limits.hpp"

namespace course {

// kHost is the host's own share of the algorithm, in stages that also have kernels. A stage without
// kernels times its algorithm as kKernels.
enum class Phase { kSetup, kCopyIn, kKernels, kCopyOut, kHost };

// In milliseconds. The total runs from the first begin to the last end: it includes the time
// between phases.
struct PhaseTimes {
    double setup_ms = 0.0;
    double copy_in_ms = 0.0;
    double kernels_ms = 0.0;
    double copy_out_ms = 0.0;
    double host_ms = 0.0;
    double total_ms = 0.0;
};

struct Grid {
    std::int64_t blocks = 0;  // 0: the stage launches no kernel
    int threads = 0;  // per block
};

// One for each run of a stage's function:
//     timer.begin(Phase::kSetup);   ... allocate ...
//     timer.begin(Phase::kCopyIn);  ... copy ...
//     timer.begin(Phase::kKernels); ... launch ...
//     timer.begin(Phase::kCopyOut); ... copy back ...
//     timer.end();
// A phase may be entered several times: its times add up. Each phase opens an NVTX range.
class PhaseTimer {
  public:
    explicit PhaseTimer(Backend& backend);
    PhaseTimer(const PhaseTimer&) = delete;
    PhaseTimer& operator=(const PhaseTimer&) = delete;
    ~PhaseTimer();

    // Ends the running phase, if any, waits for the device, and starts `phase`. All ranks begin
    // their kernels at one time.
    void begin(Phase phase);

    // Waits for the device and ends the running phase. Does nothing if there is none.
    void end();

    // The launch geometry of the stage's main kernel, for the rows. A stage without kernels has one
    // block, with a thread for each core that it uses.
    void note_grid(std::int64_t blocks, int threads) { grid_ = {blocks, threads}; }

    // The least work that this stage's own algorithm must do in its kernels, on any device. Count
    // bytes and operations from the algorithm, not from the problem. The harness refuses a time in
    // which the device cannot do that work. So a stage that skips work (pairs, passes, a second
    // read) must declare less than its predecessor, or its times are refused as impossible. If
    // several stages share a constant, its comment says for which stages it holds.
    void declare_work(const Work& work) { work_ = work; }

    // The device that is timed.
    Backend& backend() const noexcept { return backend_; }

    const PhaseTimes& times() const noexcept { return times_; }
    const Grid& grid() const noexcept { return grid_; }
    const Work& work() const noexcept { return work_; }
    bool running() const noexcept { return running_.has_value(); }

  private:
    using Clock = std::chrono::steady_clock;

    Backend& backend_;
    PhaseTimes times_;
    Grid grid_;
    Work work_;
    std::optional<Phase> running_;
    std::optional<NvtxRange> range_;
    std::optional<Clock::time_point> first_begin_;
    Clock::time_point phase_begin_;
};

}  // namespace course
