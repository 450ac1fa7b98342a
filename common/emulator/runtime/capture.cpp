// SPDX-License-Identifier: MIT
#include "common/emulator/runtime/capture.hpp"

#include <algorithm>
#include <utility>

#include "common/emulator/process/errors.hpp"
#include "common/emulator/runtime/api_call.hpp"
#include "common/emulator/runtime/graph.hpp"

namespace emulator {
namespace {

thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

// The captures that have not ended.
std::vector<std::shared_ptr<Capture>>& captures() {
    static auto* all = new std::vector<std::shared_ptr<Capture>>;
    return *all;
}

bool is_mode(cudaStreamCaptureMode mode) {
    return mode >= cudaStreamCaptureModeGlobal && mode <= cudaStreamCaptureModeRelaxed;
}

// Whether all nodes of the graph come before the stream's next node, or are among those that the
// graph had before.
bool is_joined(const Graph& graph, const std::vector<cudaGraphNode_t>& last_nodes) {
    return std::all_of(graph.nodes.begin(), graph.nodes.end(), [&](const auto& node) {
        return !node->dependents.empty() ||
               std::find(last_nodes.begin(), last_nodes.end(), node.get()) != last_nodes.end();
    });
}

void end_capture(const std::shared_ptr<Capture>& capture) {
    for (const auto& taking_part : capture->streams) {
        if (const auto stream = taking_part.lock()) {
            stream->capture = nullptr;
            stream->last_nodes.clear();
        }
    }
    capture->has_ended = true;
    if (Graph* graph = find_graph(capture->graph)) graph->is_capturing = false;
    std::erase(captures(), capture);
}

// Ends a capture without a graph.
void give_up_capture(const std::shared_ptr<Capture>& capture) {
    end_capture(capture);
    Graph* graph = find_graph(capture->graph);
    if (graph != nullptr && capture->owns_graph) destroy_graph(*graph);
}

cudaError_t begin_capture(Stream& stream, Graph* graph, std::vector<cudaGraphNode_t> last_nodes,
                          cudaStreamCaptureMode mode) {
    static std::uint64_t last_id = 0;
    if (!is_mode(mode)) return cudaErrorInvalidValue;
    if (is_legacy(stream)) {
        explain(
            "cudaStreamBeginCapture: the legacy default stream cannot capture: use a stream from "
            "cudaStreamCreate(), or cudaStreamPerThread");
        return cudaErrorStreamCaptureUnsupported;
    }
    if (stream.capture != nullptr) return cudaErrorIllegalState;
    auto capture = std::make_shared<Capture>();
    capture->id = ++last_id;
    capture->mode = mode;
    capture->thread = std::this_thread::get_id();
    capture->origin = stream.weak_from_this();
    capture->owns_graph = graph == nullptr;
    if (graph == nullptr) graph = &create_graph();
    graph->is_capturing = true;
    capture->graph = graph;
    captures().push_back(capture);
    join_capture(stream, capture);
    stream.last_nodes = std::move(last_nodes);
    return cudaSuccess;
}

}  // namespace

void invalidate(Capture& capture) { capture.is_invalid = true; }

void join_capture(Stream& stream, const std::shared_ptr<Capture>& capture) {
    stream.capture = capture;
    capture->streams.push_back(stream.weak_from_this());
}

void leave_capture(Stream& stream) {
    const std::shared_ptr<Capture> capture = stream.capture;
    if (capture != nullptr && capture->origin.lock().get() == &stream) give_up_capture(capture);
}

void forget_captures() {
    while (!captures().empty()) give_up_capture(std::shared_ptr(captures().back()));
}

cudaError_t check_capture_of(Stream& stream) {
    if (stream.capture != nullptr) {
        return stream.capture->is_invalid ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
    }
    if (!is_legacy(stream)) return cudaSuccess;
    cudaError_t error = cudaSuccess;
    for (const auto& capture : captures()) {
        for (const auto& taking_part : capture->streams) {
            const auto other = taking_part.lock();
            if (other == nullptr || !other->blocking() || other->device != stream.device) continue;
            invalidate(*capture);
            error = cudaErrorStreamCaptureImplicit;
        }
    }
    if (error != cudaSuccess) {
        explain(
            "the legacy default stream may not be used while a blocking stream captures: "
            "create that stream with cudaStreamNonBlocking");
    }
    return error;
}

cudaError_t capture_work(Stream& stream, const std::shared_ptr<Work>& work) {
    GraphNode& node = add_node(*stream.capture->graph, work, stream.device, stream.last_nodes);
    stream.last_nodes = {&node};
    return cudaSuccess;
}

cudaError_t queue_work(Stream& stream, const std::shared_ptr<Work>& work) {
    const cudaError_t error = check_capture_of(stream);
    if (error != cudaSuccess) return error;
    if (stream.capture != nullptr) return capture_work(stream, work);
    enqueue(stream, work->make_task(stream.device));
    return cudaSuccess;
}

cudaError_t refuse_in_capture(Stream& stream) {
    const cudaError_t error = check_capture_of(stream);
    if (error != cudaSuccess || stream.capture == nullptr) return error;
    invalidate(*stream.capture);
    return cudaErrorStreamCaptureUnsupported;
}

cudaError_t refuse_unsafe_call() {
    if (thread_mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
    cudaError_t error = cudaSuccess;
    for (const auto& capture : captures()) {
        const bool is_own = capture->thread == std::this_thread::get_id();
        const bool forbids = (capture->mode == cudaStreamCaptureModeGlobal &&
                              (is_own || thread_mode == cudaStreamCaptureModeGlobal)) ||
                             (capture->mode == cudaStreamCaptureModeThreadLocal && is_own);
        if (!forbids) continue;
        invalidate(*capture);
        error = cudaErrorStreamCaptureUnsupported;
    }
    return error;
}

cudaError_t refuse_wait_for_device(int device) {
    cudaError_t error = cudaSuccess;
    for (const auto& capture : captures()) {
        const auto origin = capture->origin.lock();
        if (origin == nullptr || origin->device != device) continue;
        invalidate(*capture);
        error = cudaErrorStreamCaptureUnsupported;
    }
    return error;
}

}  // namespace emulator

using namespace emulator;

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
    return host_call("cudaStreamBeginCapture", [&] {
        Stream* stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        return begin_capture(*stream, nullptr, {}, mode);
    });
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t handle, cudaGraph_t graph_handle,
                                          const cudaGraphNode_t* dependencies,
                                          const cudaGraphEdgeData*, std::size_t count,
                                          cudaStreamCaptureMode mode) {
    return host_call("cudaStreamBeginCaptureToGraph", [&] {
        Stream* stream = find_stream(handle);
        Graph* graph = find_graph(graph_handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (graph == nullptr || graph->is_capturing) return cudaErrorInvalidValue;
        std::vector<GraphNode*> last_nodes;
        const cudaError_t error = take_dependencies(*graph, dependencies, count, last_nodes);
        if (error != cudaSuccess) return error;
        return begin_capture(*stream, graph, std::move(last_nodes), mode);
    });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* result) {
    return host_call("cudaStreamEndCapture", [&] {
        Stream* stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        const std::shared_ptr<Capture> capture = stream->capture;
        // Who gave the graph need not get it back.
        if (result == nullptr && (capture == nullptr || capture->owns_graph)) {
            return cudaErrorInvalidValue;
        }
        if (result != nullptr) *result = nullptr;
        if (capture == nullptr) return cudaErrorIllegalState;
        if (capture->mode != cudaStreamCaptureModeRelaxed &&
            capture->thread != std::this_thread::get_id()) {
            give_up_capture(capture);
            return cudaErrorStreamCaptureWrongThread;
        }
        if (capture->origin.lock().get() != stream) {
            invalidate(*capture);
            return cudaErrorStreamCaptureUnmatched;
        }
        cudaError_t error = cudaSuccess;
        Graph* graph = find_graph(capture->graph);
        if (capture->is_invalid || graph == nullptr) {
            error = cudaErrorStreamCaptureInvalidated;
        } else if (capture->owns_graph && !is_joined(*graph, stream->last_nodes)) {
            explain(
                "cudaStreamEndCapture: a stream that joined the capture has work that the first "
                "stream does not wait for: record an event there, and wait for it");
            error = cudaErrorStreamCaptureUnjoined;
        }
        if (error == cudaSuccess) {
            end_capture(capture);
            if (result != nullptr) *result = graph;
        } else {
            give_up_capture(capture);
        }
        return error;
    });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
    return cudaStreamGetCaptureInfo(handle, status);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies,
                                     const cudaGraphEdgeData** edges, std::size_t* count) {
    return host_call("cudaStreamGetCaptureInfo", [&] {
        Stream* stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (status == nullptr) return cudaErrorInvalidValue;
        const Capture* capture = stream->capture.get();
        if (capture == nullptr && is_legacy(*stream)) {
            const cudaError_t error = check_capture_of(*stream);
            if (error != cudaSuccess) return error;
        }
        *status = capture == nullptr    ? cudaStreamCaptureStatusNone
                  : capture->is_invalid ? cudaStreamCaptureStatusInvalidated
                                        : cudaStreamCaptureStatusActive;
        if (*status != cudaStreamCaptureStatusActive) return cudaSuccess;
        if (id != nullptr) *id = capture->id;
        if (graph != nullptr) *graph = capture->graph;
        if (dependencies != nullptr) *dependencies = stream->last_nodes.data();
        if (edges != nullptr) *edges = nullptr;
        if (count != nullptr) *count = stream->last_nodes.size();
        return cudaSuccess;
    });
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t handle, cudaGraphNode_t* dependencies,
                                                const cudaGraphEdgeData*, std::size_t count,
                                                unsigned flags) {
    return host_call("cudaStreamUpdateCaptureDependencies", [&] {
        Stream* stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (flags > cudaStreamSetCaptureDependencies) return cudaErrorInvalidValue;
        if (stream->capture == nullptr) return cudaErrorIllegalState;
        if (stream->capture->is_invalid) return cudaErrorStreamCaptureInvalidated;
        std::vector<GraphNode*> taken;
        const cudaError_t error =
            take_dependencies(*stream->capture->graph, dependencies, count, taken);
        if (error != cudaSuccess) return error;
        if (flags == cudaStreamSetCaptureDependencies) stream->last_nodes.clear();
        for (GraphNode* node : taken) {
            if (std::find(stream->last_nodes.begin(), stream->last_nodes.end(), node) ==
                stream->last_nodes.end()) {
                stream->last_nodes.push_back(node);
            }
        }
        return cudaSuccess;
    });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
    return host_call("cudaThreadExchangeStreamCaptureMode", [&] {
        if (mode == nullptr || !is_mode(*mode)) return cudaErrorInvalidValue;
        std::swap(*mode, thread_mode);
        return cudaSuccess;
    });
}
