// SPDX-License-Identifier: MIT
// What an observer is told of work that waits in a stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "common/emulator/device/host_hooks.hpp"

namespace emulator {

// Rows of memory, `pitch` bytes from one to the next.
struct Rows {
    const void* begin = nullptr;
    std::size_t width = 0;
    std::size_t pitch = 0;
    std::size_t height = 0;

    std::size_t bytes() const { return height == 0 ? 0 : (height - 1) * pitch + width; }
};

enum class WorkKind { kernel, copy, allocation, release, host_function };

// Work that waits in a stream: a kernel, whose memory is not known, or a copy. Memory that is
// allocated or freed in the order of a stream counts as written.
struct QueuedWork {
    WorkKind kind = WorkKind::copy;
    std::string kernel;  // its name
    std::string library;  // the function of a library that queued it; empty: none
    std::uint64_t grid = 0;  // its serial number
    Rows written;
    Rows read;
    std::shared_ptr<const void>
        caller;  // HostHooks::note_caller(); nullptr: the call that queues it
};

// Each queued task holds one. It tells the observer when the work was queued, and when it has run
// or was given up.
class PendingWork {
  public:
    explicit PendingWork(const QueuedWork& work)
        : is_told_(host_hooks.work_queued != nullptr),
          number_(is_told_ ? host_hooks.work_queued(work) : 0) {}
    ~PendingWork() {
        if (is_told_ && host_hooks.work_ended != nullptr) host_hooks.work_ended(number_);
    }
    void begin() const {
        if (is_told_ && host_hooks.work_begun != nullptr) host_hooks.work_begun(number_);
    }
    PendingWork(PendingWork&& other) noexcept
        : is_told_(std::exchange(other.is_told_, false)), number_(other.number_) {}
    PendingWork(const PendingWork&) = delete;
    PendingWork& operator=(const PendingWork&) = delete;

  private:
    bool is_told_;
    std::uint64_t number_;
};

}  // namespace emulator
