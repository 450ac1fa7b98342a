// SPDX-License-Identifier: MIT
// The backend of stages on a GPU.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include "common/backends/runtime_backend.hpp"
#include "common/base/text.hpp"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/limits/bandwidth_probe.hpp"
#include "common/limits/limits_cache.hpp"

namespace course {
namespace {

double attribute(cudaDeviceAttr which, int device) {
    int value = 0;
    // Not cudaDeviceProp: CUDA 13 removed its clocks. An attribute that a driver does not know is
    // 0, which means unknown.
    if (cudaDeviceGetAttribute(&value, which, device) != cudaSuccess) {
        static_cast<void>(cudaGetLastError());
        return 0.0;
    }
    return value;
}

CudaAttributes read_attributes(int device) {
    CudaAttributes attributes;
    attributes.major = static_cast<int>(attribute(cudaDevAttrComputeCapabilityMajor, device));
    attributes.minor = static_cast<int>(attribute(cudaDevAttrComputeCapabilityMinor, device));
    attributes.multiprocessors =
        static_cast<int>(attribute(cudaDevAttrMultiProcessorCount, device));
    attributes.clock_hz = 1e3 * attribute(cudaDevAttrClockRate, device);  // both in kHz
    attributes.memory_clock_hz = 1e3 * attribute(cudaDevAttrMemoryClockRate, device);
    attributes.memory_bus_bytes = attribute(cudaDevAttrGlobalMemoryBusWidth, device) / 8.0;
    attributes.l2_bytes = attribute(cudaDevAttrL2CacheSize, device);
    return attributes;
}

// Bytes per second, read and written, of one copy inside the device.
double measure_copy_bandwidth(const DeviceBuffer<char>& source, DeviceBuffer<char>& target) {
    Event start;
    Event stop;
    start.record();
    cuda_check(
        cudaMemcpyAsync(target.data(), source.data(), source.bytes(), cudaMemcpyDeviceToDevice));
    stop.record();
    return 2.0 * static_cast<double>(source.bytes()) / (milliseconds_between(start, stop) * 1e-3);
}

// The best of several repeats, after one that does not count. Memory: the better of copying and
// reading, because a stage that mostly reads is faster than a copy. L2: reading a quarter of it, so
// that the data stays there.
MeasuredRates measure_rates(double l2_bytes) {
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    cuda_check(cudaMemGetInfo(&free_bytes, &total_bytes));
    constexpr std::int64_t kUnit = 1 << 20;
    // Eight times the L2's size, so that the L2 can serve only little of it.
    const std::int64_t wanted =
        std::max<std::int64_t>(512 * kUnit, 8 * static_cast<std::int64_t>(l2_bytes));
    const std::int64_t bytes =
        std::min(wanted, static_cast<std::int64_t>(free_bytes) / 4) / kUnit * kUnit;
    if (bytes == 0) {
        return {};
    }
    DeviceBuffer<char> d_source(bytes);
    DeviceBuffer<char> d_target(bytes);
    cuda_check(cudaMemset(d_source.data(), 0, d_source.bytes()));
    const std::int64_t l2_part = std::min(bytes, static_cast<std::int64_t>(l2_bytes) / 4) / 16 * 16;
    constexpr int kPasses = 50;
    MeasuredRates rates;
    for (int repeat = -1; repeat < 10; ++repeat) {
        const double copied = measure_copy_bandwidth(d_source, d_target);
        const double read = measure_read_bandwidth(d_source.data(), bytes, 1);
        const double l2_read =
            l2_part > 0 ? measure_read_bandwidth(d_source.data(), l2_part, kPasses) : 0.0;
        if (repeat >= 0) {
            rates.bytes_per_second = std::max({rates.bytes_per_second, copied, read});
            rates.l2_bytes_per_second = std::max(rates.l2_bytes_per_second, l2_read);
        }
    }
    return rates;
}

class CudaBackend final : public RuntimeBackend {
  public:
    using RuntimeBackend::RuntimeBackend;

    std::string_view engine() const override { return "gpu"; }

    DeviceLimits limits() override {
        if (const auto rates = load_measured_rates(key())) return with_rates(*rates);
        return remeasure_limits();
    }

    DeviceLimits remeasure_limits() override {
        const MeasuredRates rates = measure_rates(attribute(cudaDevAttrL2CacheSize, device()));
        return with_rates(keep_best_rates(key(), rates));
    }

  private:
    // Of the cached rates: a device and its driver.
    std::string key() const {
        int driver = 0;
        cuda_check(cudaDriverGetVersion(&driver));
        std::string uuid;
        for (const char byte : properties().uuid.bytes) {
            char digits[3];
            std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(byte));
            uuid += digits;
        }
        return text("cuda|", properties().name, "|", uuid, "|", driver);
    }

    DeviceLimits with_rates(const MeasuredRates& rates) const {
        DeviceLimits limits;
        limits.bytes_per_second = rates.bytes_per_second;
        limits.l2_bytes_per_second = rates.l2_bytes_per_second;
        fill_from_attributes(limits, read_attributes(device()));
        return limits;
    }
};

}  // namespace

std::unique_ptr<Backend> open_backend(int device, const std::string& platform) {
    return std::make_unique<CudaBackend>(device, platform);
}

}  // namespace course
