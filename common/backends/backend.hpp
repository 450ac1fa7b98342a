// SPDX-License-Identifier: MIT
// What the harness needs of a device. Five implementations, one chosen when linking: the CUDA
// runtime ("gpu"), the same source on the CPU engine ("emu") and on the engine with counters
// ("count"), plain host code ("cpu"), and OpenCL ("opencl").
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "common/harness/error.hpp"
#include "common/limits/device_limits.hpp"

namespace course {

// What a run with counters checks and writes. What is not said here the environment may say
// (emulator/README.md).
struct CountingOptions {
    bool no_races = false;
    bool no_table = false;  // where nobody asked for JSON, write nothing
    std::string counters;  // JSON: a file, or - for stdout; empty: a table on stderr
    std::string trace;  // CSV, a row an access; empty: none
};

class Backend {
  public:
    Backend() = default;
    Backend(const Backend&) = delete;
    Backend& operator=(const Backend&) = delete;
    virtual ~Backend() = default;

    virtual std::string_view engine() const = 0;  // "gpu", "emu", ..., as in the rows
    virtual std::string device_name() const = 0;

    // Bytes that can be allocated on the device now. On a GPU in OpenCL, which does not tell what
    // others have allocated, all that it has.
    virtual std::int64_t free_memory_bytes() const = 0;

    // Whether that is the device's own memory, and not the host's.
    virtual bool has_own_memory() const { return engine() == "gpu"; }

    // Waits until the device has done all that was queued; errors of kernels surface here.
    virtual void synchronize() = 0;

    // The kernel clock: CUDA events on the default stream, on "cpu" and "opencl" a steady clock.
    // Stop waits for all streams and returns the milliseconds since start.
    virtual void start_kernel_clock() = 0;
    virtual double stop_kernel_clock_ms() = 0;

    // The device's limits, measured at the first call on a machine and cached from then on. Zeros
    // on "emu" and "count", which never pretend to time a GPU.
    virtual DeviceLimits limits() = 0;

    // The same, measured anew: a cached measurement may have met a busy device, and a run is
    // refused only by a fresh one.
    virtual DeviceLimits remeasure_limits() { return limits(); }

    // Before the first kernel. Errors: UsageError on all engines but "count".
    virtual void set_counting(const CountingOptions&) {
        throw UsageError("--no-races, --counters and --trace are of the engine with counters only");
    }
};

// The backend linked in, on device number `device` (0 on "cpu"). `platform`: on "opencl" one of its
// platforms, as opencl/selection.hpp reads it; elsewhere there is none to choose.
// Errors: NoDeviceError without a device or a driver; UsageError for a number out of range, and for
// a platform that is not there.
std::unique_ptr<Backend> open_backend(int device, const std::string& platform = "");

// For the backends without platforms. Errors: UsageError for any.
inline void refuse_platform(const std::string& platform) {
    if (!platform.empty()) {
        throw UsageError("--platform is of stages in OpenCL only");
    }
}

}  // namespace course
