// SPDX-License-Identifier: MIT
#include "common/backends/opencl/device.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "common/backends/opencl/selection.hpp"
#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace course::opencl {

namespace {

struct ErrorName {
    cl_int number;
    std::string_view name;
};

// The errors of allocations, builds, launches, copies and drivers. Other errors show their number.
constexpr ErrorName kErrorNames[] = {
    {CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
    {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
    {CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE"},
    {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
    {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
    {CL_PROFILING_INFO_NOT_AVAILABLE, "CL_PROFILING_INFO_NOT_AVAILABLE"},
    {CL_MEM_COPY_OVERLAP, "CL_MEM_COPY_OVERLAP"},
    {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
    {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    {CL_INVALID_VALUE, "CL_INVALID_VALUE"},
    {CL_INVALID_PLATFORM, "CL_INVALID_PLATFORM"},
    {CL_INVALID_DEVICE, "CL_INVALID_DEVICE"},
    {CL_INVALID_CONTEXT, "CL_INVALID_CONTEXT"},
    {CL_INVALID_QUEUE_PROPERTIES, "CL_INVALID_QUEUE_PROPERTIES"},
    {CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE"},
    {CL_INVALID_MEM_OBJECT, "CL_INVALID_MEM_OBJECT"},
    {CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS"},
    {CL_INVALID_PROGRAM, "CL_INVALID_PROGRAM"},
    {CL_INVALID_PROGRAM_EXECUTABLE, "CL_INVALID_PROGRAM_EXECUTABLE"},
    {CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME"},
    {CL_INVALID_KERNEL_DEFINITION, "CL_INVALID_KERNEL_DEFINITION"},
    {CL_INVALID_KERNEL, "CL_INVALID_KERNEL"},
    {CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX"},
    {CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE"},
    {CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE"},
    {CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
    {CL_INVALID_WORK_DIMENSION, "CL_INVALID_WORK_DIMENSION"},
    {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
    {CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE"},
    {CL_INVALID_GLOBAL_OFFSET, "CL_INVALID_GLOBAL_OFFSET"},
    {CL_INVALID_EVENT_WAIT_LIST, "CL_INVALID_EVENT_WAIT_LIST"},
    {CL_INVALID_EVENT, "CL_INVALID_EVENT"},
    {CL_INVALID_OPERATION, "CL_INVALID_OPERATION"},
    {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
    {CL_INVALID_GLOBAL_WORK_SIZE, "CL_INVALID_GLOBAL_WORK_SIZE"},
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
};

std::string describe(const cl::Error& error) {
    const auto* found =
        std::find_if(std::begin(kErrorNames), std::end(kErrorNames),
                     [&error](const ErrorName& entry) { return entry.number == error.err(); });
    return text(error.what(), ": ", found != std::end(kErrorNames) ? found->name : "error", " (",
                error.err(), ")");
}

// Some drivers add blanks or a zero to the ends of names.
std::string trimmed(const std::string& name) {
    const std::string_view blanks(" \t\n\0", 4);
    const std::size_t begin = name.find_first_not_of(blanks);
    return begin == std::string::npos
               ? ""
               : name.substr(begin, name.find_last_not_of(blanks) - begin + 1);
}

bool is_gpu(const cl::Device& device) {
    return (device.getInfo<CL_DEVICE_TYPE>() & CL_DEVICE_TYPE_GPU) != 0;
}

// Empty if the platform has no device, which is an error in OpenCL, or if it does not answer.
std::vector<cl::Device> devices_of(const cl::Platform& platform) {
    std::vector<cl::Device> devices;
    try {
        platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
    } catch (const cl::Error&) {
        devices.clear();
    }
    return devices;
}

// PoCL learns below /sys how much memory there is. Where /sys is not mounted, as in a bare chroot,
// it ends the process: so a child tries it.
void check_that_platforms_answer() {
    std::error_code unknown;
    if (std::filesystem::exists("/sys/devices/system", unknown)) return;
    const pid_t child = fork();
    if (child == 0) {
        if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(1);
        std::vector<cl::Platform> platforms;
        try {
            cl::Platform::get(&platforms);
        } catch (const cl::Error&) {
            _exit(0);
        }
        for (const cl::Platform& platform : platforms) devices_of(platform);
        _exit(0);
    }
    int status = 0;
    if (child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status)) {
        throw NoDeviceError(
            "no usable OpenCL device: /sys is not mounted, and without it an OpenCL platform "
            "(PoCL) ends the program");
    }
}

// NVIDIA's compiler ignores #line in its log: it says <kernel> for the file, and counts our line.
std::string with_file_and_line(const std::string& log, std::string_view file) {
    static const std::regex place("<kernel>:([0-9]+)");
    std::string named;
    auto behind = log.begin();
    for (std::sregex_iterator found(log.begin(), log.end(), place), end; found != end; ++found) {
        named.append(behind, (*found)[0].first);
        named += text(file, ':', std::stol((*found)[1]) - 1);
        behind = (*found)[0].second;
    }
    return named.append(behind, log.end());
}

}  // namespace

OpenClError::OpenClError(const cl::Error& error) : std::runtime_error(describe(error)) {}

Device::Device(const cl::Device& device) try
    : device_(device),
      name_(trimmed(device.getInfo<CL_DEVICE_NAME>())),
      platform_(
          trimmed(cl::Platform(device.getInfo<CL_DEVICE_PLATFORM>()).getInfo<CL_PLATFORM_NAME>())),
      is_gpu_(opencl::is_gpu(device)) {
    const auto refuse = [this](const char* why) {
        throw NoDeviceError(text("OpenCL device ", name_, " is not usable: ", why));
    };
    if (!device_.getInfo<CL_DEVICE_AVAILABLE>()) refuse("it is not available");
    if (!device_.getInfo<CL_DEVICE_COMPILER_AVAILABLE>()) refuse("there is no compiler for it");
    if (device_.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>() == 0) refuse("it reports no memory");
    context_ = cl::Context(device_);
    queue_ = cl::CommandQueue(context_, device_, cl::QueueProperties::Profiling);
} catch (const cl::Error& error) {
    throw NoDeviceError(text("OpenCL device is not usable: ", describe(error)));
}

const cl::Program& Device::program(const Source& source, const std::string& options) {
    const std::string key = text(options, '\n', source.text);
    if (const auto built = programs_.find(key); built != programs_.end()) return built->second;
    // Without this line, compilers name a temporary file, or no file at all.
    cl::Program program(context_, text("#line 1 \"", source.file, "\"\n", source.text));
    const auto start = std::chrono::steady_clock::now();
    try {
        program.build(device_, text("-cl-std=CL1.2 ", options).c_str());
    } catch (const cl::BuildError& error) {
        std::string log;
        for (const auto& [device, lines] : error.getBuildLog()) log += lines;
        throw std::runtime_error(text(source.file, ": does not build for ", name_, ":\n",
                                      with_file_and_line(trimmed(log), source.file)));
    }
    build_ms_ +=
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return programs_.emplace(key, std::move(program)).first->second;
}

cl::Buffer Device::buffer_of(std::int64_t count, std::size_t size) {
    const double bytes = static_cast<double>(count) * static_cast<double>(size);
    const double most = static_cast<double>(device_.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>());
    if (!(bytes > 0.0 && bytes <= most)) {
        throw std::runtime_error(text("a buffer of ", format_bytes(bytes), ": ", name_,
                                      " allows at most ", format_bytes(most),
                                      " (CL_DEVICE_MAX_MEM_ALLOC_SIZE)"));
    }
    cl::Buffer buffer(context_, CL_MEM_READ_WRITE, static_cast<std::size_t>(count) * size);
    queue_.enqueueMigrateMemObjects({buffer}, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED);
    return buffer;
}

void Device::check_group_size(const char* flag, std::int64_t threads) const {
    const std::size_t most = std::min(device_.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>(),
                                      device_.getInfo<CL_DEVICE_MAX_WORK_ITEM_SIZES>().at(0));
    if (threads > static_cast<std::int64_t>(most)) {
        throw UsageError(text(flag, ' ', threads, ": ", name_, " allows at most ", most,
                              " work-items per group"));
    }
}

cl::Device find_device(std::string_view platform, int device) {
    check_that_platforms_answer();
    std::vector<cl::Platform> platforms;
    try {
        cl::Platform::get(&platforms);
    } catch (const cl::Error&) {
        platforms.clear();  // the loader's way to say that there is none
    }
    std::vector<PlatformEntry> entries;
    std::vector<std::vector<cl::Device>> devices;
    for (const cl::Platform& one : platforms) {
        PlatformEntry entry{trimmed(one.getInfo<CL_PLATFORM_NAME>()), {}};
        devices.push_back(devices_of(one));
        for (const cl::Device& its : devices.back()) {
            entry.devices.push_back({trimmed(its.getInfo<CL_DEVICE_NAME>()), is_gpu(its)});
        }
        entries.push_back(std::move(entry));
    }
    const Selection chosen = select_device(entries, platform, device);
    return devices[chosen.platform][chosen.device];
}

double milliseconds_of(const cl::Event& event) {
    event.wait();
    return 1e-6 * static_cast<double>(event.getProfilingInfo<CL_PROFILING_COMMAND_END>() -
                                      event.getProfilingInfo<CL_PROFILING_COMMAND_START>());
}

double milliseconds_between(const cl::Event& earlier, const cl::Event& later) {
    cl::Event::waitForEvents({earlier, later});
    return 1e-6 * static_cast<double>(later.getProfilingInfo<CL_PROFILING_COMMAND_END>() -
                                      earlier.getProfilingInfo<CL_PROFILING_COMMAND_END>());
}

}  // namespace course::opencl
