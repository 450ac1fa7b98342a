// SPDX-License-Identifier: MIT
// Stream capture: while a stream captures, its work becomes nodes of a graph. Other streams join
// through events. "Creating a graph using stream capture" in the CUDA C++ Programming Guide; the
// error codes were measured on an H200 (tests/common/emulator/libraries/graphs).
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "common/emulator/runtime/stream.hpp"
#include "common/emulator/runtime/work.hpp"

namespace emulator {

struct Capture {
    std::uint64_t id = 0;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    std::thread::id thread;  // that began it
    std::weak_ptr<Stream> origin;
    cudaGraph_t graph = nullptr;
    bool owns_graph = true;  // false: the program began the capture with a graph of its own
    bool is_invalid = false;
    bool has_ended = false;
    std::vector<std::weak_ptr<Stream>> streams;
};

// A call that uses the stream's order: cudaErrorStreamCaptureInvalidated if its capture failed, and
// cudaErrorStreamCaptureImplicit if the legacy stream would have to wait for one that captures.
cudaError_t check_capture_of(Stream& stream);

// Queues the work in the stream. If the stream captures, the work becomes a node of the graph
// instead.
cudaError_t queue_work(Stream& stream, const std::shared_ptr<Work>& work);

// Adds the work to the graph that the stream captures.
cudaError_t capture_work(Stream& stream, const std::shared_ptr<Work>& work);

// A call that may not be captured, and that uses a stream that captures: the capture fails.
cudaError_t refuse_in_capture(Stream& stream);

// A call that might wait for captured work, as cudaMalloc(): an error, and the end of the captures
// that forbid it, unless this thread's mode allows it.
cudaError_t refuse_unsafe_call();
// A call that waits for all work of the device.
cudaError_t refuse_wait_for_device(int device);

void invalidate(Capture& capture);
// The stream takes part in the capture from now on.
void join_capture(Stream& stream, const std::shared_ptr<Capture>& capture);
// The stream is destroyed: the capture that it began ends without a graph.
void leave_capture(Stream& stream);
// As cudaDeviceReset() does.
void forget_captures();

}  // namespace emulator
