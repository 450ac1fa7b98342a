// SPDX-License-Identifier: MIT
#include "common/emulator/libraries/graphs/node_works.hpp"

#include <utility>

#include "common/emulator/device/properties/launch_check.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/runtime/api/kernel_registry.hpp"
#include "common/emulator/runtime/copy.hpp"
#include "common/emulator/runtime/event.hpp"

namespace emulator {
namespace {

char* start_of(const cudaPitchedPtr& memory, const cudaPos& position) {
    return static_cast<char*>(memory.ptr) + position.x +
           memory.pitch * (position.y + memory.ysize * position.z);
}

std::size_t slice_pitch(const cudaPitchedPtr& memory) { return memory.pitch * memory.ysize; }

// A pitch of 0 is allowed where there is only one row.
cudaPitchedPtr with_pitch(cudaPitchedPtr memory, const cudaExtent& extent) {
    if (memory.pitch == 0 && extent.height == 1 && extent.depth == 1) memory.pitch = extent.width;
    return memory;
}

}  // namespace

cudaError_t make_kernel_work(const char* function, const cudaKernelNodeParams* parameters,
                             std::shared_ptr<Work>& work) {
    if (parameters == nullptr) return cudaErrorInvalidValue;
    if (parameters->func == nullptr) return cudaErrorInvalidDeviceFunction;
    if (parameters->extra != nullptr) {
        explain("%s: `extra` is not supported by the CPU engine: use kernelParams", function);
        return cudaErrorNotSupported;
    }
    const LaunchConfiguration configuration(parameters->gridDim, parameters->blockDim,
                                            parameters->sharedMemBytes);
    const KernelIdentity kernel{nullptr, parameters->func};
    std::shared_ptr<const KernelCall> call =
        make_registered_call(function, parameters->func, parameters->kernelParams);
    if (call == nullptr) return cudaErrorInvalidResourceHandle;
    // Whatever is wrong with the configuration (measured on an H200).
    if (check_launch(configuration, kernel, kRefusedFromHost).error != cudaSuccess) {
        return cudaErrorInvalidValue;
    }
    work = std::make_shared<KernelWork>(configuration, kernel, std::move(call));
    return cudaSuccess;
}

cudaMemcpy3DParms linear_parameters(void* destination, const void* source, std::size_t bytes,
                                    cudaMemcpyKind kind) {
    cudaMemcpy3DParms parameters{};
    parameters.srcPtr = make_cudaPitchedPtr(const_cast<void*>(source), bytes, bytes, 1);
    parameters.dstPtr = make_cudaPitchedPtr(destination, bytes, bytes, 1);
    parameters.extent = make_cudaExtent(bytes, 1, 1);
    parameters.kind = kind;
    return parameters;
}

cudaError_t make_copy_work(const char* function, const cudaMemcpy3DParms* parameters,
                           std::shared_ptr<Work>& work) {
    if (parameters == nullptr) return cudaErrorInvalidValue;
    if (parameters->srcArray != nullptr || parameters->dstArray != nullptr) {
        explain("%s: the CPU engine copies no arrays in a graph: use pitched memory", function);
        return cudaErrorNotSupported;
    }
    const cudaExtent& extent = parameters->extent;
    const cudaPitchedPtr from = with_pitch(parameters->srcPtr, extent);
    const cudaPitchedPtr to = with_pitch(parameters->dstPtr, extent);
    if (from.ptr == nullptr || to.ptr == nullptr || extent.width == 0 || extent.height == 0 ||
        extent.depth == 0) {
        return cudaErrorInvalidValue;
    }
    if (extent.width + parameters->srcPos.x > from.pitch ||
        extent.width + parameters->dstPos.x > to.pitch ||
        (extent.depth > 1 && (extent.height + parameters->srcPos.y > from.ysize ||
                              extent.height + parameters->dstPos.y > to.ysize))) {
        return cudaErrorInvalidValue;
    }
    Copy copy{start_of(to, parameters->dstPos),
              start_of(from, parameters->srcPos),
              to.pitch,
              from.pitch,
              extent.width,
              extent.height};
    const auto made = std::make_shared<CopyWork>();
    const std::size_t last = extent.depth - 1;
    made->destination = place_of(function, "destination", copy.destination,
                                 last * slice_pitch(to) + copy.destination_bytes());
    made->source =
        place_of(function, "source", copy.source, last * slice_pitch(from) + copy.source_bytes());
    // The kind is not compared with the pointers, which tell where the memory is (measured on an
    // H200).
    if (made->destination == Place::invalid || made->source == Place::invalid ||
        parameters->kind < cudaMemcpyHostToHost || parameters->kind > cudaMemcpyDefault) {
        return cudaErrorInvalidValue;
    }
    for (std::size_t slice = 0; slice < extent.depth; ++slice) {
        made->slices.push_back(copy);
        copy.destination += slice_pitch(to);
        copy.source += slice_pitch(from);
    }
    made->parameters = *parameters;
    work = made;
    return cudaSuccess;
}

cudaError_t make_set_work(const char* function, const cudaMemsetParams* parameters,
                          std::shared_ptr<Work>& work) {
    if (parameters == nullptr) return cudaErrorInvalidValue;
    cudaMemsetParams set = *parameters;
    const bool known_size = set.elementSize == 1 || set.elementSize == 2 || set.elementSize == 4;
    if (!known_size || set.width == 0 || set.height == 0 || set.dst == nullptr) {
        return cudaErrorInvalidValue;
    }
    const std::size_t width = set.width * set.elementSize;
    if (set.height == 1) set.pitch = width;  // it is not used
    if (set.pitch < width || set.pitch % set.elementSize != 0) return cudaErrorInvalidValue;
    const Place place =
        place_of(function, "destination", set.dst, (set.height - 1) * set.pitch + width);
    if (place == Place::pageable) {
        explain("%s: the destination %p is host memory", function, set.dst);
    }
    if (place == Place::pageable || place == Place::invalid) return cudaErrorInvalidValue;
    const auto made = std::make_shared<SetWork>(set);
    made->told = *parameters;
    work = made;
    return cudaSuccess;
}

cudaError_t make_host_work(const cudaHostNodeParams* parameters, std::shared_ptr<Work>& work) {
    if (parameters == nullptr || parameters->fn == nullptr) return cudaErrorInvalidValue;
    work = std::make_shared<HostWork>(parameters->fn, parameters->userData);
    return cudaSuccess;
}

cudaError_t make_event_work(cudaGraphNodeType type, cudaEvent_t handle,
                            std::shared_ptr<Work>& work) {
    const std::shared_ptr<CUevent_st> event = find_event(handle);
    if (event == nullptr) return cudaErrorInvalidValue;
    work = std::make_shared<EventWork>(type, event);
    return cudaSuccess;
}

cudaError_t make_work(const char* function, const cudaGraphNodeParams& parameters,
                      std::shared_ptr<Work>& work) {
    switch (parameters.type) {
        case cudaGraphNodeTypeKernel:
            return make_kernel_work(function, &parameters.kernel, work);
        case cudaGraphNodeTypeMemcpy:
            return make_copy_work(function, &parameters.memcpy.copyParams, work);
        case cudaGraphNodeTypeMemset:
            return make_set_work(function, &parameters.memset, work);
        case cudaGraphNodeTypeHost:
            return make_host_work(&parameters.host, work);
        case cudaGraphNodeTypeEmpty:
            work = std::make_shared<StructureWork>(cudaGraphNodeTypeEmpty);
            return cudaSuccess;
        case cudaGraphNodeTypeWaitEvent:
            return make_event_work(parameters.type, parameters.eventWait.event, work);
        case cudaGraphNodeTypeEventRecord:
            return make_event_work(parameters.type, parameters.eventRecord.event, work);
        case cudaGraphNodeTypeExtSemaphoreSignal:
        case cudaGraphNodeTypeExtSemaphoreWait:
            explain("%s: the CPU engine has no external semaphores", function);
            return cudaErrorNotSupported;
        default:
            return cudaErrorInvalidValue;
    }
}

}  // namespace emulator
