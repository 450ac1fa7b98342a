// SPDX-License-Identifier: MIT
#include "common/backends/runtime_backend.hpp"

#include <chrono>

#include "common/backends/needed_gpu.hpp"
#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/cuda/cuda_check.hpp"

namespace course {
namespace {

using Clock = std::chrono::steady_clock;

int select_device(int device, const std::string& platform) {
    refuse_platform(platform);
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    int driver = 0;
    if (status != cudaSuccess && cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0) {
        // For a missing driver, the runtime's own message says that the driver is too old.
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
    // cudaFree() is the first call that needs the device. Another process may use the device
    // exclusively, or this runtime may not support it.
    cudaError_t opened = cudaSetDevice(device);
    if (opened == cudaSuccess) opened = cudaFree(nullptr);
    if (opened != cudaSuccess) {
        throw NoDeviceError(
            text("CUDA device ", device, " is not usable: ", cudaGetErrorString(opened)));
    }
    return device;
}

cudaDeviceProp properties_of(int device) {
    cudaDeviceProp properties{};
    cuda_check(cudaGetDeviceProperties(&properties, device));
    const NeededGpu needed = needed_gpu();
    if (10 * properties.major + properties.minor < needed.capability) {
        throw NoDeviceError(text("this stage needs ", needed.text, "; ", properties.name, " has ",
                                 properties.major, ".", properties.minor));
    }
    return properties;
}

}  // namespace

// The events need the device, so that it is selected first.
RuntimeBackend::RuntimeBackend(int device, const std::string& platform)
    : device_(select_device(device, platform)), properties_(properties_of(device_)) {}

std::int64_t RuntimeBackend::free_memory_bytes() const {
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    cuda_check(cudaMemGetInfo(&free_bytes, &total_bytes));
    return static_cast<std::int64_t>(free_bytes);
}

void RuntimeBackend::synchronize() { cuda_check(cudaDeviceSynchronize()); }

double RuntimeBackend::stop_kernel_clock_ms() {
    stop_.record();
    const double event_ms = milliseconds_between(start_, stop_);
    // The default stream waits for all streams except non-blocking ones. If the device is still
    // busy after the event, these streams are the reason, and the time that is left counts too. An
    // idle device answers within a few microseconds, which do not belong to the kernels.
    const Clock::time_point waiting = Clock::now();
    cuda_check(cudaDeviceSynchronize());
    const double left_ms =
        std::chrono::duration<double, std::milli>(Clock::now() - waiting).count();
    constexpr double kIdleAnswerMs = 0.02;
    return left_ms > kIdleAnswerMs ? event_ms + left_ms : event_ms;
}

}  // namespace course
