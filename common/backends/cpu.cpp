// SPDX-License-Identifier: MIT
// The backend of serial stages: the host, with a wall clock.
#include <chrono>
#include <memory>
#include <string>

#include "common/backends/backend.hpp"
#include "common/base/error.hpp"
#include "common/base/host_memory.hpp"
#include "common/base/text.hpp"
#include "common/limits/host_limits.hpp"

namespace course {

namespace {

using Clock = std::chrono::steady_clock;

class CpuBackend final : public Backend {
  public:
    std::string_view engine() const override { return "cpu"; }
    std::string device_name() const override { return processor_name(); }
    std::int64_t free_memory_bytes() const override { return available_host_bytes(); }
    void synchronize() override {}
    void start_kernel_clock() override { start_ = Clock::now(); }

    double stop_kernel_clock_ms() override {
        return std::chrono::duration<double, std::milli>(Clock::now() - start_).count();
    }

    DeviceLimits limits() override { return host_limits(); }
    DeviceLimits remeasure_limits() override { return remeasure_host_limits(); }

  private:
    Clock::time_point start_ = Clock::now();
};

}  // namespace

std::unique_ptr<Backend> open_backend(int device, const std::string& platform) {
    refuse_platform(platform);
    if (device != 0) {
        throw UsageError(
            text("--device ", device, ": this stage runs on the processor, device 0 of 1"));
    }
    return std::make_unique<CpuBackend>();
}

}  // namespace course
