// SPDX-License-Identifier: MIT
// What the harness needs from a device. There are five implementations, and an executable links
// one: a GPU ("gpu"), the CPU engine ("emu"), the CPU engine with counters ("count"), plain host
// code
// ("cpu"), and OpenCL ("opencl").
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/error.hpp"
#include "common/limits/device_limits.hpp"
#include "common/ranks/ranks.hpp"

namespace course {

// What a run with counters checks and writes. Environment variables set what is not set here
// (emulator/README.md).
struct CountingOptions {
    bool no_races = false;
    bool no_table = false;  // no table if no JSON was asked for
    std::string counters;  // JSON: a file, or - for stdout; empty: a table on stderr
    std::string trace;  // CSV, one row per access; empty: no trace
};

class Backend {
  public:
    Backend() = default;
    Backend(const Backend&) = delete;
    Backend& operator=(const Backend&) = delete;
    virtual ~Backend() = default;

    virtual std::string_view engine() const = 0;  // "gpu", "emu", ..., as in the rows
    virtual std::string device_name() const = 0;

    // Bytes that can be allocated on the device now. OpenCL does not tell what others have
    // allocated on a GPU: there it is all of the device's memory.
    virtual std::int64_t free_memory_bytes() const = 0;

    // Whether that is the device's own memory, and not the host's.
    virtual bool has_own_memory() const { return engine() == "gpu"; }

    // Waits until the device has done all queued work. Errors of kernels are thrown here.
    virtual void synchronize() = 0;

    // The kernel clock: CUDA events on the default stream; a steady clock on "cpu" and "opencl".
    // The second call waits for all streams and returns the milliseconds since the first.
    virtual void start_kernel_clock() = 0;
    virtual double stop_kernel_clock_ms() = 0;

    // The device's limits. The first call on a machine measures them; later calls read a cache. All
    // are 0 on "emu" and "count", which never pretend to time a GPU.
    virtual DeviceLimits limits() = 0;

    // Measures the limits again: the device may have been busy at the cached measurement. A run is
    // refused only after a new measurement.
    virtual DeviceLimits remeasure_limits() { return limits(); }

    // Must be called before the first kernel. Errors: UsageError on all engines except "count".
    virtual void set_counting(const CountingOptions&) {
        throw UsageError("--no-races, --counters and --trace need the engine with counters");
    }

    // The processes that run the stage together, each with a device of its own. One, unless
    // join_ranks() was called; the ranks must live as long.
    Ranks& ranks() noexcept { return ranks_ != nullptr ? *ranks_ : one_rank_; }
    void join_ranks(Ranks& ranks) noexcept { ranks_ = &ranks; }

  private:
    Ranks one_rank_;
    Ranks* ranks_ = nullptr;
};

// The backend that is linked in, on device number `device` (0 on "cpu"). `platform`: on "opencl"
// one of its platforms (opencl/selection.hpp); empty on other engines. Errors: NoDeviceError
// without a device or a driver; UsageError for a number out of range, and for a platform that does
// not exist.
std::unique_ptr<Backend> open_backend(int device, const std::string& platform = "");

// For the backends without platforms. Errors: UsageError if one is given.
inline void refuse_platform(const std::string& platform) {
    if (!platform.empty()) throw UsageError("--platform is for stages in OpenCL only");
}

}  // namespace course
