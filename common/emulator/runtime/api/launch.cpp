// SPDX-License-Identifier: MIT
// Launches of kernels, by the host and by device code.
#include <cuda_runtime.h>

#include <memory>
#include <string>
#include <utility>

#include "common/emulator/device/devices.hpp"
#include "common/emulator/device/properties/launch_check.hpp"
#include "common/emulator/device/unread_errors.hpp"
#include "common/emulator/engine/device_launch.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/runtime/api/kernel_registry.hpp"
#include "common/emulator/runtime/api_call.hpp"
#include "common/emulator/runtime/capture.hpp"
#include "common/emulator/runtime/stream.hpp"
#include "common/emulator/runtime/work.hpp"

namespace emulator {

cudaError_t apply_launch_attributes(LaunchConfiguration& configuration,
                                    const cudaLaunchAttribute* attributes, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
        switch (attributes[i].id) {
            case cudaLaunchAttributeIgnore:
            case cudaLaunchAttributePriority:  // hints
            case cudaLaunchAttributeAccessPolicyWindow:
            case cudaLaunchAttributeMemSyncDomain:
            case cudaLaunchAttributeMemSyncDomainMap:
            case cudaLaunchAttributePreferredSharedMemoryCarveout:
                break;
            case cudaLaunchAttributeCooperative:
                configuration.cooperative = attributes[i].val.cooperative != 0;
                break;
            case cudaLaunchAttributeClusterDimension:
            case cudaLaunchAttributePreferredClusterDimension:
                explain(
                    "cudaLaunchKernelEx: the CPU engine has no thread block clusters; use a "
                    "kernel without them");
                return record_error(cudaErrorNotSupported);
            default:
                explain(
                    "cudaLaunchKernelEx: launch attribute %d is not supported by the CPU engine",
                    static_cast<int>(attributes[i].id));
                return record_error(cudaErrorNotSupported);
        }
    }
    return cudaSuccess;
}

namespace {

// Only <<<>>> has a name. The other calls return the error to the program. In a capture, a launch
// that the device could not run ends the capture (measured on an H200).
cudaError_t refuse_launch(const LaunchConfiguration& configuration, KernelIdentity kernel,
                          cudaError_t error, const std::string& reason) {
    Stream* stream = find_stream(configuration.stream);
    if (stream != nullptr && stream->capture != nullptr) {
        invalidate(*stream->capture);
        error = cudaErrorInvalidValue;
    }
    if (kernel.name != nullptr) {
        note_refused_launch(host_reader(), configuration, kernel, error, reason);
    }
    return error;
}

cudaError_t queue_kernel(const LaunchConfiguration& configuration, KernelIdentity kernel,
                         std::shared_ptr<const KernelCall> call) {
    Stream* stream = find_stream(configuration.stream);
    if (stream == nullptr) {
        return refuse_launch(configuration, kernel, cudaErrorInvalidResourceHandle,
                             "there is no such stream");
    }
    if (stream->device != current_device()) {
        explain(
            "a kernel launch: the stream belongs to device %d, but device %d is current: call "
            "cudaSetDevice(%d) before the launch",
            stream->device, current_device(), stream->device);
        return refuse_launch(configuration, kernel, cudaErrorInvalidResourceHandle,
                             "the stream belongs to another device");
    }
    return queue_work(*stream,
                      std::make_shared<KernelWork>(configuration, kernel, std::move(call)));
}

}  // namespace

int launch_kernel(const LaunchConfiguration& configuration, KernelIdentity kernel,
                  std::unique_ptr<KernelCall> call) {
    if (current_thread != nullptr) {
        return launch_from_device(configuration, kernel, std::move(call));
    }
    return host_call("a kernel launch", [&] {
        const LaunchVerdict verdict = check_launch(configuration, kernel, kRefusedFromHost);
        if (verdict.error != cudaSuccess) {
            return refuse_launch(configuration, kernel, verdict.error, verdict.reason);
        }
        return queue_kernel(configuration, kernel, std::move(call));
    });
}

cudaError_t launch_registered(const char* function, const LaunchConfiguration& configuration,
                              const void* kernel, void** arguments) {
    return host_call(function, [&] {
        const LaunchVerdict verdict =
            check_launch(configuration, {nullptr, kernel}, kRefusedFromHost);
        if (verdict.error != cudaSuccess) {
            return refuse_launch(configuration, {nullptr, kernel}, verdict.error, verdict.reason);
        }
        auto call = make_registered_call(function, kernel, arguments);
        if (call == nullptr) return cudaErrorInvalidDeviceFunction;
        return queue_kernel(configuration, {nullptr, kernel}, std::move(call));
    });
}

}  // namespace emulator

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel,
                                void** arguments) {
    emulator::LaunchConfiguration configuration(config->gridDim, config->blockDim,
                                                config->dynamicSmemBytes, config->stream);
    const cudaError_t error =
        emulator::apply_launch_attributes(configuration, config->attrs, config->numAttrs);
    if (error != cudaSuccess) return error;
    return emulator::launch_registered("cudaLaunchKernelExC", configuration, kernel, arguments);
}
