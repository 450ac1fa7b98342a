// SPDX-License-Identifier: MIT
// What a stage in OpenCL works with: a device with its context and queue, and the programs built
// for it.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include "common/backends/opencl/bindings.hpp"
#include "common/harness/phase_timer.hpp"

namespace course::opencl {

// An OpenCL call failed. The message is `function: CL_NAME (number)`.
class OpenClError : public std::runtime_error {
  public:
    explicit OpenClError(const cl::Error& error);
};

// A file of kernels, embedded when the executable was built (embed.py).
struct Source {
    std::string_view file;  // "mergesort.cl", as logs of the build name it
    std::string_view text;
};

// One device, with a context of its own and a queue that works in order and keeps times.
// Errors of all members: OpenClError or cl::Error where a call fails.
class Device {
  public:
    // Errors: NoDeviceError for a device that is not available or has no compiler.
    explicit Device(const cl::Device& device);
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    const cl::Device& get() const noexcept { return device_; }
    const cl::Context& context() const noexcept { return context_; }
    cl::CommandQueue& queue() noexcept { return queue_; }
    const std::string& name() const noexcept { return name_; }
    const std::string& platform() const noexcept { return platform_; }
    bool is_gpu() const noexcept { return is_gpu_; }

    // The kernels of `source`, built at the first call with these options of the compiler
    // ("-DGROUP_SIZE=32"): from then on as good as a binary.
    // Errors: std::runtime_error with the compiler's log, which names source.file and lines.
    const cl::Program& program(const Source& source, const std::string& options = "");

    // Milliseconds that the building of all programs took.
    double build_ms() const noexcept { return build_ms_; }

    // `count` elements in the device's memory, uninitialised, allocated now and not when they are
    // first used. Errors: std::runtime_error where OpenCL allows no buffer of that size.
    template <typename T>
    cl::Buffer buffer(std::int64_t count) {
        return buffer_of(count, sizeof(T));
    }

    // Errors: UsageError, naming the flag, where no group can have so many work-items.
    void check_group_size(const char* flag, std::int64_t threads) const;

  private:
    cl::Buffer buffer_of(std::int64_t count, std::size_t size);

    cl::Device device_;
    std::string name_;
    std::string platform_;
    bool is_gpu_ = false;
    cl::Context context_;
    cl::CommandQueue queue_;
    std::map<std::string, cl::Program, std::less<>> programs_;  // by options and text
    double build_ms_ = 0.0;
};

// The machine's device that --platform and --device choose (selection.hpp has rules and errors).
cl::Device find_device(std::string_view platform, int device);

// The device that a run is on. Only in executables that are linked with the backend of OpenCL.
Device& device_of(const PhaseTimer& timer);

// Milliseconds that a command ran, by the device's own clock; waits for its end.
double milliseconds_of(const cl::Event& event);

// From the end of one command to the end of a later one; waits for both.
double milliseconds_between(const cl::Event& earlier, const cl::Event& later);

// What `work` returns. Its errors of OpenCL are told by their names: cl::Error's message is the
// failed call alone.
template <typename Work>
auto name_errors(const Work& work) {
    try {
        return work();
    } catch (const cl::Error& error) {
        throw OpenClError(error);
    }
}

namespace detail {

template <typename Function>
struct NamedErrors;

template <typename... Arguments>
struct NamedErrors<void (*)(Arguments...)> {
    template <void (*stage)(Arguments...)>
    static void run(Arguments... arguments) {
        name_errors([&] { stage(arguments...); });
    }
};

}  // namespace detail

// The same for a stage's function: a function that calls it.
template <auto stage>
inline constexpr auto named_errors = &detail::NamedErrors<decltype(stage)>::template run<stage>;

}  // namespace course::opencl
