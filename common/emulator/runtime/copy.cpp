// SPDX-License-Identifier: MIT
#include "common/emulator/runtime/copy.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/emulator/device/devices.hpp"
#include "common/emulator/device/memory.hpp"
#include "common/emulator/device/variables.hpp"
#include "common/emulator/engine/heap/heap_calls.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/runtime/api_call.hpp"
#include "common/emulator/runtime/capture.hpp"
#include "common/emulator/runtime/stream.hpp"
#include "common/emulator/runtime/work.hpp"

namespace emulator {
namespace {

// A pageable source up to this size is copied first, so that the call returns at once as on a GPU.
constexpr std::size_t kMaxStagedBytes = std::size_t{1} << 20;

bool is_host(Place place) { return place != Place::device; }
bool is_device(Place place) { return place == Place::device || place == Place::managed; }

bool direction_fits(cudaMemcpyKind kind, Place destination, Place source) {
    switch (kind) {
        case cudaMemcpyHostToHost:
            return is_host(destination) && is_host(source);
        case cudaMemcpyHostToDevice:
            return is_device(destination) && is_host(source);
        case cudaMemcpyDeviceToHost:
            return is_host(destination) && is_device(source);
        case cudaMemcpyDeviceToDevice:
            return is_device(destination) && is_device(source);
        case cudaMemcpyDefault:
            return true;
    }
    return false;
}

const char* describe(Place place) {
    switch (place) {
        case Place::pageable:
        case Place::pinned:
            return "host";
        case Place::device:
            return "device";
        case Place::managed:
            return "managed";
        case Place::invalid:
            break;
    }
    return "no";
}

// What cudaGraphMemcpyNodeGetParams() tells of a captured copy.
cudaMemcpy3DParms parameters_of(const Copy& copy, cudaMemcpyKind kind) {
    cudaMemcpy3DParms parameters{};
    parameters.srcPtr = make_cudaPitchedPtr(const_cast<char*>(copy.source), copy.source_pitch,
                                            copy.width, copy.height);
    parameters.dstPtr =
        make_cudaPitchedPtr(copy.destination, copy.destination_pitch, copy.width, copy.height);
    parameters.extent = make_cudaExtent(copy.width, copy.height, 1);
    parameters.kind = kind;
    return parameters;
}

// Whether the call returns before the copy is done ("API synchronization behavior" in CUDA's
// runtime API reference).
enum class Waiting { until_done, until_read, not_at_all };

Waiting waiting_of(bool asynchronous, Place destination, Place source) {
    const bool touches_host = !is_device(destination) || !is_device(source);
    if (!touches_host) return Waiting::not_at_all;
    if (!asynchronous) return Waiting::until_done;
    if (destination == Place::pageable) return Waiting::until_done;
    if (source == Place::pageable) return Waiting::until_read;
    return Waiting::not_at_all;
}

cudaError_t queue_copy(const char* function, Copy copy, cudaMemcpyKind kind, cudaStream_t handle,
                       bool asynchronous, Place destination, Place source, bool is_symbol = false) {
    cudaError_t error = check_direction(function, kind, destination, source);
    if (error != cudaSuccess) return error;
    Stream* stream = find_stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    error = asynchronous ? check_capture_of(*stream) : refuse_in_capture(*stream);
    if (error != cudaSuccess) return error;
    Waiting waiting = waiting_of(asynchronous, destination, source);
    if (stream->capture != nullptr) waiting = Waiting::not_at_all;  // a launch reads the source
    if (waiting == Waiting::until_read) {
        if (copy.source_bytes() > kMaxStagedBytes) {
            waiting = Waiting::until_done;
        } else {
            copy.staged = std::make_shared<const std::vector<char>>(
                copy.source, copy.source + copy.source_bytes());
            copy.source = copy.staged->data();
        }
    }
    const auto work = std::make_shared<CopyWork>();
    work->slices.push_back(copy);
    work->destination = destination;
    work->source = source;
    work->parameters = parameters_of(copy, kind);
    if (is_symbol) work->variables_of = current_device();
    error = queue_work(*stream, work);
    if (error != cudaSuccess) return error;
    return waiting == Waiting::until_done ? wait_for(*stream) : cudaSuccess;
}

}  // namespace

cudaError_t check_direction(const char* function, cudaMemcpyKind kind, Place destination,
                            Place source) {
    if (destination == Place::invalid || source == Place::invalid) return cudaErrorInvalidValue;
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
        return cudaErrorInvalidMemcpyDirection;
    }
    if (direction_fits(kind, destination, source)) return cudaSuccess;
    constexpr const char* kNames[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                      "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice"};
    explain("%s: the direction is %s, but the destination is %s memory and the source %s memory",
            function, kNames[kind], describe(destination), describe(source));
    return cudaErrorInvalidValue;
}

Place place_of(const char* function, const char* role, const void* pointer, std::size_t bytes) {
    Allocation allocation;
    // A graph's memory will be there when the copy runs.
    if (!find_allocation(pointer, allocation) && !find_addresses(pointer, allocation)) {
        if (!is_stray_address(pointer)) return Place::pageable;
        explain("%s: the %s %p is not allocated: %s", function, role, pointer,
                describe_address(pointer).c_str());
        return Place::invalid;
    }
    const std::size_t rest = static_cast<std::size_t>(allocation.begin + allocation.bytes -
                                                      static_cast<const char*>(pointer));
    if (bytes > rest) {
        explain(
            "%s: the %s has %zu bytes left in its allocation of %zu, fewer than the %zu asked for",
            function, role, rest, allocation.bytes, bytes);
        return Place::invalid;
    }
    switch (allocation.kind) {
        case MemoryKind::device:
        case MemoryKind::symbol:
            return Place::device;
        case MemoryKind::managed:
            return Place::managed;
        case MemoryKind::heap:
            // CUDA C++ Programming Guide, "Dynamic Global Memory Allocation".
            refuse_heap_pointer(function, pointer, false);
            return Place::invalid;
        default:
            return Place::pinned;
    }
}

Copy linear_copy(void* destination, const void* source, std::size_t bytes) {
    return {
        static_cast<char*>(destination), static_cast<const char*>(source), bytes, bytes, bytes, 1};
}

cudaError_t copy_memory(const char* function, const Copy& copy, cudaMemcpyKind kind,
                        cudaStream_t stream, bool asynchronous) {
    return host_call(function, [&] {
        if (copy.width == 0 || copy.height == 0) return cudaSuccess;
        if (copy.width > copy.destination_pitch || copy.width > copy.source_pitch) {
            return cudaErrorInvalidPitchValue;
        }
        if (copy.destination == nullptr || copy.source == nullptr) {
            explain("%s: the %s is a null pointer", function,
                    copy.destination == nullptr ? "destination" : "source");
            return cudaErrorInvalidValue;
        }
        return queue_copy(
            function, copy, kind, stream, asynchronous,
            place_of(function, "destination", copy.destination, copy.destination_bytes()),
            place_of(function, "source", copy.source, copy.source_bytes()));
    });
}

cudaError_t copy_symbol(const char* function, Symbol symbol, std::size_t offset, void* destination,
                        const void* source, std::size_t bytes, cudaMemcpyKind kind,
                        cudaStream_t stream, bool asynchronous, bool to_symbol) {
    return host_call(function, [&] {
        if (bytes == 0) return cudaSuccess;
        if (offset > symbol.bytes || bytes > symbol.bytes - offset) {
            explain("%s: %zu bytes at offset %zu do not lie in the symbol's %zu bytes", function,
                    bytes, offset, symbol.bytes);
            return cudaErrorInvalidValue;
        }
        if (device_count() > 1 && !is_device_variable(symbol.address)) {
            explain(
                "%s: on several devices each has its own copy of a variable, but the CPU engine "
                "keeps only one of this one: declare it as a plain variable outside of templates "
                "and classes",
                function);
            return cudaErrorNotSupported;
        }
        const void* other = to_symbol ? source : destination;
        if (other == nullptr) return cudaErrorInvalidValue;
        const Place place = place_of(function, to_symbol ? "source" : "destination", other, bytes);
        char* inside = const_cast<char*>(symbol.address) + offset;
        if (to_symbol) {
            return queue_copy(function, linear_copy(inside, source, bytes), kind, stream,
                              asynchronous, Place::device, place, true);
        }
        return queue_copy(function, linear_copy(destination, inside, bytes), kind, stream,
                          asynchronous, place, Place::device, true);
    });
}

cudaError_t set_memory(const char* function, void* destination, int value, std::size_t bytes,
                       cudaStream_t handle, bool asynchronous) {
    return host_call(function, [&] {
        if (bytes == 0) return cudaSuccess;
        const Place place = place_of(function, "destination", destination, bytes);
        if (place == Place::pageable) {
            explain("%s: the destination %p is host memory", function, destination);
        }
        if (place == Place::pageable || place == Place::invalid) return cudaErrorInvalidValue;
        Stream* stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        cudaError_t error = asynchronous ? cudaSuccess : refuse_in_capture(*stream);
        if (error != cudaSuccess) return error;
        cudaMemsetParams set{};
        set.dst = destination;
        set.pitch = bytes;
        set.value = static_cast<unsigned>(value) & 0xff;
        set.elementSize = 1;
        set.width = bytes;
        set.height = 1;
        error = queue_work(*stream, std::make_shared<SetWork>(set));
        const bool waits = place != Place::device && stream->capture == nullptr;
        return error == cudaSuccess && waits ? wait_for(*stream) : error;
    });
}

}  // namespace emulator
