// SPDX-License-Identifier: MIT
// What the harness needs of a device. Three implementations, one chosen when linking: the CUDA
// runtime ("gpu"), the same source on the CPU engine ("emu"), and plain host code ("cpu").
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "common/device_limits.hpp"

namespace course {

class Backend {
  public:
    Backend() = default;
    Backend(const Backend&) = delete;
    Backend& operator=(const Backend&) = delete;
    virtual ~Backend() = default;

    virtual std::string_view engine() const = 0;  // "gpu", "emu" or "cpu", as in the rows
    virtual std::string device_name() const = 0;

    // Bytes that can be allocated on the device now. On "emu" and "cpu" that is host memory.
    virtual std::int64_t free_memory_bytes() const = 0;

    // Waits until the device has done all that was queued; errors of kernels surface here.
    virtual void synchronize() = 0;

    // The kernel clock: CUDA events on the default stream, on "cpu" a steady clock. Stop waits for
    // all streams and returns the milliseconds since start.
    virtual void start_kernel_clock() = 0;
    virtual double stop_kernel_clock_ms() = 0;

    // The device's limits, measured at the first call on a machine and cached from then on. Zeros
    // on "emu", which never pretends to time a GPU.
    virtual DeviceLimits limits() = 0;

    // The same, measured anew: a cached measurement may have met a busy device, and a run is
    // refused only by a fresh one.
    virtual DeviceLimits remeasure_limits() { return limits(); }
};

// The backend linked in, on device number `device` (0 on "cpu").
// Errors: NoDeviceError without a device or a driver; UsageError for a number out of range.
std::unique_ptr<Backend> open_backend(int device);

}  // namespace course
