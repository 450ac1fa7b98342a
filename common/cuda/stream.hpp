// SPDX-License-Identifier: MIT
// Owners of CUDA streams and events.
#pragma once

#include <cuda_runtime.h>

#include <utility>

#include "common/cuda/cuda_check.hpp"

namespace course {

// kBlocking streams and the legacy default stream wait for each other; kNonBlocking ones do not.
enum class StreamKind { kBlocking, kNonBlocking };

// Among kernels that wait for a free place on the device, those of a stream with the higher
// priority come first. A running block is not interrupted.
enum class StreamPriority { kLow, kHigh };

// Owns a stream. Move-only. The destructor does not wait for the queued work.
class Stream {
  public:
    explicit Stream(StreamKind kind = StreamKind::kBlocking) {
        cuda_check(cudaStreamCreateWithFlags(
            &stream_, kind == StreamKind::kBlocking ? cudaStreamDefault : cudaStreamNonBlocking));
    }

    // With the device's least or greatest priority, and non-blocking.
    explicit Stream(StreamPriority priority) {
        int least = 0, greatest = 0;
        cuda_check(cudaDeviceGetStreamPriorityRange(&least, &greatest));
        cuda_check(cudaStreamCreateWithPriority(
            &stream_, cudaStreamNonBlocking, priority == StreamPriority::kLow ? least : greatest));
    }

    Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}

    Stream& operator=(Stream&& other) noexcept {
        std::swap(stream_, other.stream_);
        return *this;
    }

    ~Stream() {
        if (stream_ != nullptr) cuda_check_nothrow(cudaStreamDestroy(stream_));
    }

    cudaStream_t get() const noexcept { return stream_; }
    void synchronize() const { cuda_check(cudaStreamSynchronize(stream_)); }

  private:
    cudaStream_t stream_ = nullptr;
};

// Owns an event that records its time. Move-only.
class Event {
  public:
    Event() { cuda_check(cudaEventCreate(&event_)); }

    Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}

    Event& operator=(Event&& other) noexcept {
        std::swap(event_, other.event_);
        return *this;
    }

    ~Event() {
        if (event_ != nullptr) cuda_check_nothrow(cudaEventDestroy(event_));
    }

    cudaEvent_t get() const noexcept { return event_; }
    void record(cudaStream_t stream = nullptr) { cuda_check(cudaEventRecord(event_, stream)); }
    void record(const Stream& stream) { record(stream.get()); }
    void synchronize() const { cuda_check(cudaEventSynchronize(event_)); }

  private:
    cudaEvent_t event_ = nullptr;
};

// Milliseconds from `start` to `stop`, both of which are recorded. Waits for `stop`. The resolution
// of the device's clock is about half a microsecond.
inline float milliseconds_between(const Event& start, const Event& stop) {
    stop.synchronize();
    float milliseconds = 0.0F;
    cuda_check(cudaEventElapsedTime(&milliseconds, start.get(), stop.get()));
    return milliseconds;
}

}  // namespace course
