// SPDX-License-Identifier: MIT
// The CUDA runtime's backend. One source, compiled against the toolkit for "gpu" and, with
// COURSE_EMULATED, against the CPU engine's headers for "emu"; with COURSE_COUNTING too for
// "count".
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

#include "common/backends/backend.hpp"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/stream.hpp"
#include "common/harness/error.hpp"
#include "common/harness/text.hpp"

#ifdef COURSE_EMULATED
#include "common/limits/host_memory.hpp"
#else
#include "common/cuda/device_buffer.hpp"
#include "common/limits/bandwidth_probe.hpp"
#include "common/limits/limits_cache.hpp"
#endif

#ifdef COURSE_COUNTING
#include "common/emulator/counting/settings.hpp"
#endif

namespace course {

namespace {

using Clock = std::chrono::steady_clock;

#ifndef COURSE_EMULATED

double attribute(cudaDeviceAttr which, int device) {
    int value = 0;
    // Attributes and not cudaDeviceProp, which lost its clocks in CUDA 13. One that a driver does
    // not know is 0: unknown.
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

// Bytes a second, read and written, of one copy inside the device.
double measure_copy_bandwidth(const DeviceBuffer<char>& source, DeviceBuffer<char>& target) {
    Event start;
    Event stop;
    start.record();
    cuda_check(
        cudaMemcpyAsync(target.data(), source.data(), source.bytes(), cudaMemcpyDeviceToDevice));
    stop.record();
    return 2.0 * static_cast<double>(source.bytes()) / (milliseconds_between(start, stop) * 1e-3);
}

// Best of several, after one that is not counted. Memory: the better of copying and reading, since
// a stage that mostly reads is faster than a copy. L2: reading a quarter of it, so that it stays.
MeasuredRates measure_rates(double l2_bytes) {
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    cuda_check(cudaMemGetInfo(&free_bytes, &total_bytes));
    constexpr std::int64_t kUnit = 1 << 20;
    // Eight times L2, so that it serves little of it.
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

#endif

class CudaBackend final : public Backend {
  public:
    explicit CudaBackend(int device) : device_(device) {
        cuda_check(cudaGetDeviceProperties(&properties_, device_));
    }

#if defined(COURSE_COUNTING)
    std::string_view engine() const override { return "count"; }

    void set_counting(const CountingOptions& options) override {
        emulator::counting::Options wanted = emulator::counting::options();
        wanted.races = wanted.races && !options.no_races;
        if (!options.counters.empty()) {
            wanted.counters = options.counters;
        } else if (options.no_table && wanted.counters.empty()) {
            wanted.counters = "none";
        }
        if (!options.trace.empty()) {
            wanted.trace = options.trace;
        }
        emulator::counting::configure(wanted);
    }
#elif defined(COURSE_EMULATED)
    std::string_view engine() const override { return "emu"; }
#else
    std::string_view engine() const override { return "gpu"; }
#endif

    std::string device_name() const override { return properties_.name; }

    std::int64_t free_memory_bytes() const override {
        std::size_t free_bytes = 0;
        std::size_t total_bytes = 0;
        cuda_check(cudaMemGetInfo(&free_bytes, &total_bytes));
        const std::int64_t bytes = static_cast<std::int64_t>(free_bytes);
#ifdef COURSE_EMULATED
        // The emulated device's memory is the host's, of which there may be less.
        return std::min(bytes, available_host_bytes());
#else
        return bytes;
#endif
    }

    void synchronize() override { cuda_check(cudaDeviceSynchronize()); }

    void start_kernel_clock() override { start_.record(); }

    double stop_kernel_clock_ms() override {
        stop_.record();
        const double event_ms = milliseconds_between(start_, stop_);
        // The default stream waits for all streams but the non-blocking ones. Where the device is
        // still busy after the event, they are the reason, and what is left counts too. An idle
        // device answers within a few microseconds, which are not the kernels'.
        const Clock::time_point waiting = Clock::now();
        cuda_check(cudaDeviceSynchronize());
        const double left_ms =
            std::chrono::duration<double, std::milli>(Clock::now() - waiting).count();
        constexpr double kIdleAnswerMs = 0.02;
        return left_ms > kIdleAnswerMs ? event_ms + left_ms : event_ms;
    }

#ifdef COURSE_EMULATED
    DeviceLimits limits() override { return {}; }
#else
    DeviceLimits limits() override {
        if (const auto rates = load_measured_rates(key())) {
            return with_rates(*rates);
        }
        return remeasure_limits();
    }

    DeviceLimits remeasure_limits() override {
        const MeasuredRates rates = measure_rates(attribute(cudaDevAttrL2CacheSize, device_));
        return with_rates(keep_best_rates(key(), rates));
    }
#endif

  private:
#ifndef COURSE_EMULATED
    std::string key() const {
        int driver = 0;
        cuda_check(cudaDriverGetVersion(&driver));
        std::string uuid;
        for (const char byte : properties_.uuid.bytes) {
            char digits[3];
            std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(byte));
            uuid += digits;
        }
        return text("cuda|", properties_.name, "|", uuid, "|", driver);
    }

    DeviceLimits with_rates(const MeasuredRates& rates) const {
        DeviceLimits limits;
        limits.bytes_per_second = rates.bytes_per_second;
        limits.l2_bytes_per_second = rates.l2_bytes_per_second;
        fill_from_attributes(limits, read_attributes(device_));
        return limits;
    }
#endif

    int device_;
    cudaDeviceProp properties_{};
    Event start_;
    Event stop_;
};

}  // namespace

std::unique_ptr<Backend> open_backend(int device, const std::string& platform) {
    refuse_platform(platform);
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    int driver = 0;
    if (status != cudaSuccess && cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0) {
        // The runtime calls a missing driver too old.
        throw NoDeviceError("no usable CUDA device: there is no NVIDIA driver");
    }
    if (status != cudaSuccess || count == 0) {
        throw NoDeviceError(text("no usable CUDA device: ", status == cudaSuccess
                                                                ? "the driver lists none"
                                                                : cudaGetErrorString(status)));
    }
    if (device < 0 || device >= count) {
        throw UsageError(text("--device ", device, ": there ",
                              count == 1 ? "is 1 device, number 0"
                                         : text("are ", count, " devices, 0 to ", count - 1)));
    }
    // The first call that needs the device: it may be in another process's exclusive use, or of a
    // kind that this runtime does not serve.
    cudaError_t opened = cudaSetDevice(device);
    if (opened == cudaSuccess) {
        opened = cudaFree(nullptr);
    }
    if (opened != cudaSuccess) {
        throw NoDeviceError(
            text("CUDA device ", device, " is not usable: ", cudaGetErrorString(opened)));
    }
    return std::make_unique<CudaBackend>(device);
}

}  // namespace course
