// SPDX-License-Identifier: MIT
// The API of graphs that streams have captured: their instances, and launches.
#include <cuda_runtime.h>

#include "common/emulator/process/errors.hpp"
#include "common/emulator/runtime/api_call.hpp"
#include "common/emulator/runtime/capture.hpp"
#include "common/emulator/runtime/exec.hpp"

namespace emulator {
namespace {

// Whether an instance of the graph exists and the graph allocates memory, at fixed addresses.
bool is_memory_in_use(const Graph& graph) {
    return has_type(graph, cudaGraphNodeTypeMemAlloc) && has_exec(graph);
}

cudaError_t instantiate(const char* function, cudaGraphExec_t* result, cudaGraph_t handle,
                        unsigned long long flags) {
    return host_call(function, [&] {
        constexpr unsigned long long kKnown =
            cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
            cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUseNodePriority;
        Graph* graph = find_graph(handle);
        if (result == nullptr || graph == nullptr || (flags & ~kKnown) != 0) {
            return cudaErrorInvalidValue;
        }
        if ((flags & cudaGraphInstantiateFlagDeviceLaunch) != 0) {
            explain("%s: the CPU engine launches graphs from the host only", function);
            return cudaErrorNotSupported;
        }
        const cudaError_t error = refuse_unsafe_call();
        if (error != cudaSuccess) return error;
        if (is_memory_in_use(*graph)) {
            explain("%s: a graph with memory nodes may have one instance at a time", function);
            return cudaErrorNotSupported;
        }
        if (has_circle(*graph)) {
            explain("%s: the graph's dependencies form a circle", function);
            return cudaErrorInvalidValue;
        }
        *result = create_exec(*graph, flags);
        return cudaSuccess;
    });
}

}  // namespace
}  // namespace emulator

using namespace emulator;

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                 unsigned long long flags) {
    return instantiate("cudaGraphInstantiate", exec, graph, flags);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                 cudaGraphNode_t* error_node, char* log, std::size_t log_bytes) {
    if (error_node != nullptr) *error_node = nullptr;
    if (log != nullptr && log_bytes > 0) *log = '\0';
    return instantiate("cudaGraphInstantiate", exec, graph, 0);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                          unsigned long long flags) {
    return instantiate("cudaGraphInstantiateWithFlags", exec, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* parameters) {
    constexpr const char* kName = "cudaGraphInstantiateWithParams";
    if (parameters == nullptr) return host_call(kName, [] { return cudaErrorInvalidValue; });
    const cudaError_t error = instantiate(kName, exec, graph, parameters->flags);
    parameters->errNode_out = nullptr;
    parameters->result_out =
        error == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateError;
    return error;
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t handle, unsigned long long* flags) {
    return host_call("cudaGraphExecGetFlags", [&] {
        cudaGraphExec_t exec = find_exec(handle);
        if (exec == nullptr || flags == nullptr) return cudaErrorInvalidValue;
        *flags = exec->flags;
        return cudaSuccess;
    });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t handle, cudaStream_t stream_handle) {
    return host_call("cudaGraphUpload", [&] {
        Stream* stream = find_stream(stream_handle);
        if (find_exec(handle) == nullptr) return cudaErrorInvalidValue;
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        return refuse_in_capture(*stream);
    });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t stream_handle) {
    if (current_thread != nullptr) {
        fail_kernel(cudaErrorNotSupported,
                    "the CPU engine launches graphs from the host only: launch kernels instead");
    }
    return host_call("cudaGraphLaunch", [&] {
        Stream* stream = find_stream(stream_handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (stream->capture != nullptr) {
            invalidate(*stream->capture);
            return cudaErrorStreamCaptureUnsupported;
        }
        const cudaError_t error = check_capture_of(*stream);
        if (error != cudaSuccess) return error;
        cudaGraphExec_t exec = find_exec(handle);
        return exec == nullptr ? cudaErrorInvalidValue : launch_exec(*exec, *stream);
    });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t handle) {
    return host_call("cudaGraphExecDestroy", [&] {
        cudaGraphExec_t exec = find_exec(handle);
        if (exec == nullptr) return cudaErrorInvalidValue;
        destroy_exec(exec);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphDestroy(cudaGraph_t handle) {
    return host_call("cudaGraphDestroy", [&] {
        Graph* graph = find_graph(handle);
        if (graph == nullptr || graph->parent != nullptr) return cudaErrorInvalidValue;
        destroy_graph(*graph);
        return cudaSuccess;
    });
}
