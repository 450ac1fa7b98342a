// SPDX-License-Identifier: MIT
// What a stage in OpenCL uses: a device with its context and queue, and the programs that were
// built for it.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include "common/backends/backend.hpp"
#include "common/backends/opencl/bindings.hpp"

namespace course::opencl {

// An OpenCL call failed. The message is `function: CL_NAME (number)`.
class OpenClError : public std::runtime_error {
  public:
    explicit OpenClError(const cl::Error& error);
};

// A file of kernels, embedded into the executable (embed.py).
struct Source {
    std::string_view file;  // "mergesort.cl", the name in build logs
    std::string_view text;
};

// One device with its own context, and a queue that works in order and measures times.
// Errors of all members: OpenClError or cl::Error if a call fails.
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

    // The kernels of `source`. The first call with these compiler options ("-DGROUP_SIZE=32")
    // builds them; later calls cost nothing. Errors: std::runtime_error with the compiler's log,
    // which names source.file and lines.
    const cl::Program& program(const Source& source, const std::string& options = "");

    // The milliseconds that it took to build all programs.
    double build_ms() const noexcept { return build_ms_; }

    // `count` uninitialised elements in the device's memory. They are allocated now, not at their
    // first use. Errors: std::runtime_error if OpenCL allows no buffer of that size.
    template <typename T>
    cl::Buffer buffer(std::int64_t count) {
        return buffer_of(count, sizeof(T));
    }

    // Errors: UsageError, which names the flag, if no group can have so many work-items.
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

// The device that --platform and --device choose. selection.hpp has the rules and errors.
cl::Device find_device(std::string_view platform, int device);

// The device of a run. Only for executables that link the OpenCL backend.
Device& device_of(Backend& backend);

// Waits for the end of a command. Result: the milliseconds that it ran, by the device's clock.
double milliseconds_of(const cl::Event& event);

// Waits for both commands. Result: the milliseconds between their ends.
double milliseconds_between(const cl::Event& earlier, const cl::Event& later);

// Returns the result of `work`. OpenCL's errors get a message with their names: cl::Error's own
// message contains only the failed call.
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
    template <void (*kStage)(Arguments...)>
    static void run(Arguments... arguments) {
        name_errors([&] { kStage(arguments...); });
    }
};

}  // namespace detail

// The same for a stage's function: this is a function that calls it.
template <auto kStage>
inline constexpr auto named_errors = &detail::NamedErrors<decltype(kStage)>::template run<kStage>;

}  // namespace course::opencl
