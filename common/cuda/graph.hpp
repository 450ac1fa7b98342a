// SPDX-License-Identifier: MIT
// Owner of a CUDA graph.
#pragma once

#include <cuda_runtime.h>

#include <utility>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/stream.hpp"

namespace course {

// What `record` queues on a stream, as a graph that can be launched any number of times. Move-only.
// Other streams take part if they wait for an event of this stream; at the end this stream must
// wait for them (CUDA C++ Programming Guide, "Cross-stream Dependencies and Events").
class Graph {
  public:
    // Errors: CudaError if a call of `record` is not allowed during a capture.
    template <typename Record>
    Graph(const Stream& stream, Record record) {
        cudaGraph_t graph = nullptr;
        cuda_check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
        try {
            record();
        } catch (...) {
            static_cast<void>(cudaStreamEndCapture(stream.get(), &graph));
            if (graph != nullptr) cuda_check_nothrow(cudaGraphDestroy(graph));
            throw;
        }
        cuda_check(cudaStreamEndCapture(stream.get(), &graph));
        const cudaError_t status = cudaGraphInstantiate(&instance_, graph, 0);
        cuda_check_nothrow(cudaGraphDestroy(graph));
        cuda_check(status);
    }

    Graph(Graph&& other) noexcept : instance_(std::exchange(other.instance_, nullptr)) {}

    Graph& operator=(Graph&& other) noexcept {
        std::swap(instance_, other.instance_);
        return *this;
    }

    ~Graph() {
        if (instance_ != nullptr) cuda_check_nothrow(cudaGraphExecDestroy(instance_));
    }

    void launch(const Stream& stream) const {
        cuda_check(cudaGraphLaunch(instance_, stream.get()));
    }

  private:
    cudaGraphExec_t instance_ = nullptr;
};

}  // namespace course
