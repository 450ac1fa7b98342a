// SPDX-License-Identifier: MIT
// The backend of stages in OpenCL: on a GPU of any manufacturer, or on a processor (PoCL).
#include "common/backends/backend.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "common/backends/opencl/bandwidth_probe.hpp"
#include "common/backends/opencl/device.hpp"
#include "common/base/host_memory.hpp"
#include "common/base/text.hpp"
#include "common/limits/host_limits.hpp"
#include "common/limits/limits_cache.hpp"

namespace course {

namespace {

using Clock = std::chrono::steady_clock;

// From NVIDIA's extension cl_nv_device_attribute_query.
constexpr cl_device_info kComputeCapabilityMajor = 0x4000;
constexpr cl_device_info kComputeCapabilityMinor = 0x4001;

class OpenClBackend final : public Backend {
  public:
    explicit OpenClBackend(const cl::Device& device) : device_(device) {}

    opencl::Device& device() noexcept { return device_; }

    std::string_view engine() const override { return "opencl"; }
    std::string device_name() const override { return device_.name(); }
    bool has_own_memory() const override { return device_.is_gpu(); }

    std::int64_t free_memory_bytes() const override {
        const auto bytes =
            static_cast<std::int64_t>(device_.get().getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>());
        return has_own_memory() ? bytes : std::min(bytes, available_host_bytes());
    }

    void synchronize() override {
        opencl::name_errors([this] { device_.queue().finish(); });
    }

    // The host's clock: it includes the launch and the answer, some tens of microseconds. The
    // events of kernels have the times of the kernels alone (milliseconds_of).
    void start_kernel_clock() override { start_ = Clock::now(); }

    double stop_kernel_clock_ms() override {
        synchronize();
        return std::chrono::duration<double, std::milli>(Clock::now() - start_).count();
    }

    // A processor has the host's limits, as on "cpu".
    DeviceLimits limits() override {
        if (!has_own_memory()) return host_limits();
        if (const auto rates = load_measured_rates(key())) return with_rates(*rates);
        return remeasure_limits();
    }

    DeviceLimits remeasure_limits() override {
        if (!has_own_memory()) return remeasure_host_limits();
        return opencl::name_errors(
            [this] { return with_rates(keep_best_rates(key(), opencl::measure_rates(device_))); });
    }

  private:
    std::string key() const {
        return text("opencl|", device_.platform(), "|", device_.name(), "|",
                    device_.get().getInfo<CL_DRIVER_VERSION>());
    }

    // OpenCL does not tell the size of the last cache (NVIDIA's CL_DEVICE_GLOBAL_MEM_CACHE_SIZE is
    // the size of all L1 caches together). It is set to 0, so that all bytes count as bytes from
    // memory. No program exceeds the cache's measured rate, with the slack that
    // fill_from_attributes() gives to measured rates.
    DeviceLimits with_rates(const MeasuredRates& rates) const {
        DeviceLimits limits;
        limits.bytes_per_second = rates.bytes_per_second;
        DeviceLimits peaks;
        peaks.bytes_per_second = std::max(rates.bytes_per_second, rates.l2_bytes_per_second);
        const CudaAttributes attributes = read_attributes();
        fill_from_attributes(peaks, attributes);
        limits.peak_bytes_per_second = peaks.peak_bytes_per_second;
        if (attributes.major > 0) {
            limits.operations_per_second = peaks.operations_per_second;
            limits.peak_operations_per_second = peaks.peak_operations_per_second;
        }
        return limits;
    }

    // All are 0 except on NVIDIA's GPUs: elsewhere the lanes of a compute unit are unknown.
    CudaAttributes read_attributes() const {
        CudaAttributes attributes;
        const cl::Device& device = device_.get();
        if (device.getInfo<CL_DEVICE_EXTENSIONS>().find("cl_nv_device_attribute_query") ==
            std::string::npos) {
            return attributes;
        }
        const auto number = [&device](cl_device_info which) {
            cl_uint value = 0;
            device.getInfo(which, &value);
            return static_cast<int>(value);
        };
        attributes.major = number(kComputeCapabilityMajor);
        attributes.minor = number(kComputeCapabilityMinor);
        attributes.multiprocessors = number(CL_DEVICE_MAX_COMPUTE_UNITS);
        attributes.clock_hz = 1e6 * number(CL_DEVICE_MAX_CLOCK_FREQUENCY);  // in MHz
        return attributes;
    }

    opencl::Device device_;
    Clock::time_point start_ = Clock::now();
};

}  // namespace

std::unique_ptr<Backend> open_backend(int device, const std::string& platform) {
    return std::make_unique<OpenClBackend>(opencl::find_device(platform, device));
}

namespace opencl {

Device& device_of(Backend& backend) {
    auto* opencl_backend = dynamic_cast<OpenClBackend*>(&backend);
    if (opencl_backend == nullptr) throw std::logic_error("this run is not on a device of OpenCL");
    return opencl_backend->device();
}

}  // namespace opencl

}  // namespace course
