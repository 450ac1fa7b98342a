// SPDX-License-Identifier: MIT
#include "common/emulator/runtime/event.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <unordered_map>
#include <utility>

#include "common/emulator/device/devices.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/runtime/api_call.hpp"
#include "common/emulator/runtime/capture.hpp"
#include "common/emulator/runtime/graph.hpp"

namespace emulator {
namespace {

std::unordered_map<cudaEvent_t, std::shared_ptr<CUevent_st>>& events() {
    static auto* all = new std::unordered_map<cudaEvent_t, std::shared_ptr<CUevent_st>>;
    return *all;
}

bool is_captured(const CUevent_st& event) { return event.capture != nullptr; }

// A call that would wait for an event of a capture.
cudaError_t refuse_captured(CUevent_st& event) {
    if (event.capture->has_ended) return cudaErrorInvalidValue;
    invalidate(*event.capture);
    return cudaErrorCapturedEvent;
}

cudaError_t capture_event(Stream& stream, const std::shared_ptr<CUevent_st>& event,
                          cudaGraphNodeType type) {
    return capture_work(stream, std::make_shared<EventWork>(type, event));
}

// The stream waits for an event of a capture: it joins the capture.
cudaError_t wait_in_capture(Stream& stream, const CUevent_st& event) {
    const std::shared_ptr<Capture>& capture = event.capture;
    if (capture->has_ended) return cudaErrorInvalidValue;
    if (capture->is_invalid) return cudaErrorStreamCaptureInvalidated;
    if (is_legacy(stream)) {
        invalidate(*capture);
        return cudaErrorStreamCaptureImplicit;
    }
    if (stream.capture == nullptr) {
        join_capture(stream, capture);
        stream.last_nodes = event.last_nodes;
        return cudaSuccess;
    }
    if (stream.capture != capture) {
        invalidate(*capture);
        invalidate(*stream.capture);
        return cudaErrorStreamCaptureMerge;
    }
    for (GraphNode* node : event.last_nodes) {
        std::vector<cudaGraphNode_t>& last = stream.last_nodes;
        if (std::find(last.begin(), last.end(), node) == last.end()) last.push_back(node);
    }
    return cudaSuccess;
}

bool is_reached(const SharedRecords& records) { return records.reached >= records.recorded; }

// Another process may wait for the event, and this one may then wait for that process without a
// call of CUDA: the stream runs now.
cudaError_t reach_shared_record(CUevent_st& event) {
    const std::uint64_t number = ++event.shared->recorded;
    const cudaError_t error = run_until(*event.progress.stream, event.progress.sequence);
    std::uint64_t reached = event.shared->reached;
    while (reached < number && !event.shared->reached.compare_exchange_weak(reached, number)) {
    }
    return error;
}

// Streams reach such records at once, so the wait is as long as the other process' kernels.
cudaError_t wait_for_processes(const CUevent_st& event) {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::minutes kLimit(10);
    const auto start = Clock::now();
    while (!is_reached(*event.shared)) {
        if (Clock::now() - start > kLimit) {
            explain("an event that another process recorded was not reached within 10 minutes");
            return cudaErrorLaunchTimeout;
        }
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    return cudaSuccess;
}

}  // namespace

std::shared_ptr<CUevent_st> find_event(cudaEvent_t handle) {
    const auto found = events().find(handle);
    return found == events().end() ? nullptr : found->second;
}

std::unique_ptr<Task> EventWork::make_task(int) const {
    if (type() != cudaGraphNodeTypeEventRecord) return make_task_of([] {});
    return make_task_of([recorded = event] { recorded->time = device_time(); });
}

void record_event(CUevent_st& event, Stream& stream, std::uint64_t sequence, const Clock& clock) {
    event.progress = {stream.shared_from_this(), sequence};
    event.clock = clock;
    event.recorded = true;
    event.capture = nullptr;
    event.last_nodes.clear();
}

std::shared_ptr<CUevent_st> make_event(unsigned flags) {
    auto made = std::make_shared<CUevent_st>();
    made->flags = flags;
    made->device = current_device();
    events()[made.get()] = made;
    return made;
}

void forget_events(int device) {
    std::erase_if(events(), [device](const auto& entry) { return entry.second->device == device; });
}

}  // namespace emulator

using namespace emulator;

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    return host_call("cudaEventCreate", [&] {
        constexpr unsigned kKnown =
            cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
        if (event == nullptr || (flags & ~kKnown) != 0) return cudaErrorInvalidValue;
        if ((flags & cudaEventInterprocess) != 0 && (flags & cudaEventDisableTiming) == 0) {
            return cudaErrorInvalidValue;
        }
        *event = make_event(flags).get();
        return cudaSuccess;
    });
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
    return host_call("cudaEventDestroy", [&] {
        const auto event = find_event(handle);
        if (event == nullptr) return cudaErrorInvalidResourceHandle;
        close_shared_pages(event->pages);
        events().erase(handle);
        return cudaSuccess;
    });
}

cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream_handle) {
    return cudaEventRecordWithFlags(handle, stream_handle, cudaEventRecordDefault);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t stream_handle,
                                     unsigned flags) {
    return host_call("cudaEventRecord", [&] {
        Stream* stream = find_stream(stream_handle);
        const auto event = find_event(handle);
        if (stream == nullptr || event == nullptr) return cudaErrorInvalidResourceHandle;
        if (flags > cudaEventRecordExternal) return cudaErrorInvalidValue;
        if (event->device != stream->device) {
            explain("cudaEventRecord: the event belongs to device %d, the stream to device %d",
                    event->device, stream->device);
            return cudaErrorInvalidResourceHandle;
        }
        const cudaError_t error = check_capture_of(*stream);
        if (error != cudaSuccess) return error;
        if (stream->capture != nullptr) {
            if (flags == cudaEventRecordExternal) {
                return capture_event(*stream, event, cudaGraphNodeTypeEventRecord);
            }
            event->capture = stream->capture;
            event->last_nodes = stream->last_nodes;
            return cudaSuccess;
        }
        if (flags == cudaEventRecordExternal) return cudaErrorInvalidValue;
        auto task = make_task_of([event] { event->time = device_time(); });
        task->takes_time = false;
        const std::uint64_t sequence = enqueue(*stream, std::move(task));
        record_event(*event, *stream, sequence, stream->clock);
        return event->shared != nullptr ? reach_shared_record(*event) : cudaSuccess;
    });
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
    return host_call("cudaEventSynchronize", [&] {
        const auto event = find_event(handle);
        if (event == nullptr) return cudaErrorInvalidResourceHandle;
        if (is_captured(*event)) return refuse_captured(*event);
        if (const cudaError_t unsafe = refuse_unsafe_call(); unsafe != cudaSuccess) return unsafe;
        if (event->shared != nullptr) {
            const cudaError_t late = wait_for_processes(*event);
            if (late != cudaSuccess) return late;
        }
        if (!event->recorded) return cudaSuccess;
        const cudaError_t error = run_until(*event->progress.stream, event->progress.sequence);
        note_host_waited(event->clock);
        return error;
    });
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
    return host_call("cudaEventQuery", [&] {
        const auto event = find_event(handle);
        if (event == nullptr) return cudaErrorInvalidResourceHandle;
        if (is_captured(*event)) return refuse_captured(*event);
        if (const cudaError_t unsafe = refuse_unsafe_call(); unsafe != cudaSuccess) return unsafe;
        if (event->shared != nullptr && !is_reached(*event->shared)) return cudaErrorNotReady;
        if (!event->recorded) return cudaSuccess;
        if (is_done(event->progress)) {
            note_host_waited(event->clock);
            return cudaSuccess;
        }
        const cudaError_t error = run_one(*event->progress.stream);
        return error != cudaSuccess ? error : cudaErrorNotReady;
    });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start_handle,
                                 cudaEvent_t stop_handle) {
    return host_call("cudaEventElapsedTime", [&] {
        const auto start = find_event(start_handle);
        const auto stop = find_event(stop_handle);
        if (milliseconds == nullptr) return cudaErrorInvalidValue;
        if (start == nullptr || stop == nullptr || start->device != stop->device) {
            return cudaErrorInvalidResourceHandle;
        }
        for (const auto& event : {start, stop}) {
            if (is_captured(*event)) return refuse_captured(*event);
        }
        if (!start->recorded || !stop->recorded ||
            ((start->flags | stop->flags) & cudaEventDisableTiming) != 0) {
            return cudaErrorInvalidResourceHandle;
        }
        if (!is_done(start->progress) || !is_done(stop->progress)) return cudaErrorNotReady;
        *milliseconds = std::chrono::duration<float, std::milli>(stop->time - start->time).count();
        return cudaSuccess;
    });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event_handle, unsigned flags) {
    return host_call("cudaStreamWaitEvent", [&] {
        Stream* stream = find_stream(handle);
        const auto event = find_event(event_handle);
        if (stream == nullptr || event == nullptr) return cudaErrorInvalidResourceHandle;
        if (flags > cudaEventWaitExternal) return cudaErrorInvalidValue;
        const cudaError_t error = check_capture_of(*stream);
        if (error != cudaSuccess) return error;
        if (stream->capture != nullptr && flags == cudaEventWaitExternal) {
            return capture_event(*stream, event, cudaGraphNodeTypeWaitEvent);
        }
        if (is_captured(*event)) return wait_in_capture(*stream, *event);
        if (event->shared != nullptr) {
            const cudaError_t late = wait_for_processes(*event);
            if (late != cudaSuccess) return late;
        }
        if (!event->recorded) return cudaSuccess;
        if (stream->capture != nullptr) {
            explain(
                "cudaStreamWaitEvent: a stream that captures cannot wait for an event that was "
                "recorded outside of the capture: pass cudaEventWaitExternal");
            invalidate(*stream->capture);
            return cudaErrorStreamCaptureIsolation;
        }
        order_after(*stream, event->clock);
        if (is_done(event->progress)) return cudaSuccess;
        auto task = make_task_of([] {});
        task->takes_time = false;
        task->waits_for.push_back(event->progress);
        enqueue(*stream, std::move(task));
        return cudaSuccess;
    });
}
