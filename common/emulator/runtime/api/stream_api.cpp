// SPDX-License-Identifier: MIT
// The API of streams.
#include <cuda_runtime.h>

#include "common/emulator/device/devices.hpp"
#include "common/emulator/engine/device_launch.hpp"
#include "common/emulator/runtime/api_call.hpp"
#include "common/emulator/runtime/capture.hpp"
#include "common/emulator/runtime/stream.hpp"
#include "common/emulator/runtime/work.hpp"

namespace emulator {
namespace {

cudaError_t create(const char* function, cudaStream_t* stream, unsigned flags, int priority) {
    return host_call(function, [&] {
        if (stream == nullptr || (flags & ~static_cast<unsigned>(cudaStreamNonBlocking)) != 0) {
            return cudaErrorInvalidValue;
        }
        *stream = create_stream(flags, priority).get();
        return cudaSuccess;
    });
}

}  // namespace
}  // namespace emulator

using namespace emulator;

cudaError_t cudaDeviceSynchronize() {
    return host_call("cudaDeviceSynchronize", [] {
        const cudaError_t error = refuse_wait_for_device(current_device());
        return error != cudaSuccess ? error : run_all(current_device());
    });
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return create("cudaStreamCreate", stream, cudaStreamDefault, kLeastPriority);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    if (current_thread != nullptr) return create_device_stream(stream, flags);
    return create("cudaStreamCreateWithFlags", stream, flags, kLeastPriority);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
    return create("cudaStreamCreateWithPriority", stream, flags, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
    if (current_thread != nullptr) return destroy_device_stream(handle);
    return host_call("cudaStreamDestroy", [&] {
        Stream* stream =
            handle == nullptr || handle == cudaStreamLegacy || handle == cudaStreamPerThread
                ? nullptr
                : find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        leave_capture(*stream);
        destroy_stream(*stream);
        return cudaSuccess;
    });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
    return host_call("cudaStreamSynchronize", [&] {
        Stream* stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        cudaError_t error = refuse_in_capture(*stream);
        if (error == cudaSuccess) error = refuse_unsafe_call();
        return error == cudaSuccess ? wait_for(*stream) : error;
    });
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
    return host_call("cudaStreamQuery", [&] {
        Stream* stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        cudaError_t error = refuse_in_capture(*stream);
        if (error == cudaSuccess) error = refuse_unsafe_call();
        if (error != cudaSuccess) return error;
        if (!stream->has_work()) {
            note_host_waited(stream->clock);
            return cudaSuccess;
        }
        error = run_one(*stream);
        return error != cudaSuccess ? error : cudaErrorNotReady;
    });
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
    return host_call("cudaStreamGetFlags", [&] {
        Stream* stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (flags == nullptr) return cudaErrorInvalidValue;
        *flags = stream->flags;
        return cudaSuccess;
    });
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
    return host_call("cudaStreamGetPriority", [&] {
        Stream* stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (priority == nullptr) return cudaErrorInvalidValue;
        *priority = stream->priority;
        return cudaSuccess;
    });
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id) {
    return host_call("cudaStreamGetId", [&] {
        const Stream* stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (id == nullptr) return cudaErrorInvalidValue;
        *id = stream->id;
        return cudaSuccess;
    });
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device) {
    return host_call("cudaStreamGetDevice", [&] {
        const Stream* stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (device == nullptr) return cudaErrorInvalidValue;
        *device = stream->device;
        return cudaSuccess;
    });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t destination, cudaStream_t source) {
    return host_call("cudaStreamCopyAttributes", [&] {
        Stream* to = find_stream(destination);
        const Stream* from = find_stream(source);
        if (to == nullptr || from == nullptr) return cudaErrorInvalidResourceHandle;
        to->priority = from->priority;
        return cudaSuccess;
    });
}
