// SPDX-License-Identifier: MIT
#include "common/emulator/runtime/event.hpp"

#include <cuda_runtime.h>

#include <chrono>
#include <memory>
#include <unordered_map>
#include <utility>

#include "common/emulator/runtime/api_call.hpp"
#include "common/emulator/runtime/clock.hpp"
#include "common/emulator/runtime/stream.hpp"

struct CUevent_st {
    unsigned flags = 0;
    bool recorded = false;
    emulator::Progress progress;
    emulator::Clock clock;  // what is ordered before it
    std::chrono::steady_clock::time_point time;  // when the stream reached it
};

namespace emulator {
namespace {

std::unordered_map<cudaEvent_t, std::shared_ptr<CUevent_st>>& events() {
    static auto* all = new std::unordered_map<cudaEvent_t, std::shared_ptr<CUevent_st>>;
    return *all;
}

std::shared_ptr<CUevent_st> find_event(cudaEvent_t handle) {
    const auto found = events().find(handle);
    return found == events().end() ? nullptr : found->second;
}

}  // namespace

void forget_events() { events().clear(); }

}  // namespace emulator

using namespace emulator;

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    return host_call("cudaEventCreate", [&] {
        constexpr unsigned kKnown = cudaEventBlockingSync | cudaEventDisableTiming;
        if (event == nullptr || (flags & ~kKnown) != 0) return cudaErrorInvalidValue;
        auto made = std::make_shared<CUevent_st>();
        made->flags = flags;
        *event = made.get();
        events()[*event] = std::move(made);
        return cudaSuccess;
    });
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
    return host_call("cudaEventDestroy", [&] {
        return events().erase(handle) == 1 ? cudaSuccess : cudaErrorInvalidResourceHandle;
    });
}

cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream_handle) {
    return host_call("cudaEventRecord", [&] {
        Stream* stream = find_stream(stream_handle);
        const auto event = find_event(handle);
        if (stream == nullptr || event == nullptr) return cudaErrorInvalidResourceHandle;
        const std::uint64_t sequence =
            enqueue(*stream, [event] { event->time = std::chrono::steady_clock::now(); });
        event->progress = {stream->shared_from_this(), sequence};
        event->clock = stream->clock;
        event->recorded = true;
        return cudaSuccess;
    });
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
    return host_call("cudaEventSynchronize", [&] {
        const auto event = find_event(handle);
        if (event == nullptr) return cudaErrorInvalidResourceHandle;
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
        if (start == nullptr || stop == nullptr || !start->recorded || !stop->recorded ||
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
        if (flags != cudaEventWaitDefault) return cudaErrorInvalidValue;
        if (!event->recorded) return cudaSuccess;
        order_after(*stream, event->clock);
        if (is_done(event->progress)) return cudaSuccess;
        auto nothing = [] {};
        auto task = std::make_unique<FunctionTask<decltype(nothing)>>(nothing);
        task->waits_for.push_back(event->progress);
        enqueue(*stream, std::unique_ptr<Task>(std::move(task)));
        return cudaSuccess;
    });
}
