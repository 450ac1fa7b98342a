// SPDX-License-Identifier: MIT
// The API of streams.
#include <cuda_runtime.h>

#include "common/emulator/engine/device_launch.hpp"
#include "common/emulator/runtime/api_call.hpp"
#include "common/emulator/runtime/stream.hpp"

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
    return host_call("cudaDeviceSynchronize", [] { return run_all(); });
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
        destroy_stream(*stream);
        return cudaSuccess;
    });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
    return host_call("cudaStreamSynchronize", [&] {
        Stream* stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        return wait_for(*stream);
    });
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
    return host_call("cudaStreamQuery", [&] {
        Stream* stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (!stream->has_work()) {
            note_host_waited(stream->clock);
            return cudaSuccess;
        }
        const cudaError_t error = run_one(*stream);
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

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* user_data) {
    return host_call("cudaLaunchHostFunc", [&] {
        Stream* stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (function == nullptr) return cudaErrorInvalidValue;
        enqueue(*stream, [=] {
            in_host_function = true;
            function(user_data);
            in_host_function = false;
        });
        return cudaSuccess;
    });
}
