// SPDX-License-Identifier: MIT
// Where an observer of memory and of queued work attaches: functions that are called when set, on
// the host's thread, with the runtime's lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "common/emulator/runtime/clock.hpp"
#include "common/emulator/runtime/memory.hpp"

namespace emulator {

// Rows of memory, `pitch` bytes from one to the next.
struct Rows {
    const void* begin = nullptr;
    std::size_t width = 0;
    std::size_t pitch = 0;
    std::size_t height = 0;

    std::size_t bytes() const { return height == 0 ? 0 : (height - 1) * pitch + width; }
};

// Work that waits in a stream: a kernel, whose memory is not known, or a copy.
struct QueuedWork {
    std::string kernel;  // empty for a copy
    std::uint64_t grid = 0;  // its serial number
    Rows written;
    Rows read;
};

struct HostHooks {
    void (*memory_allocated)() = nullptr;
    void (*memory_freed)(const Allocation& allocation) = nullptr;
    // A copy or a set has run. `source`: where it copied from, if that is device memory.
    void (*memory_written)(const void* begin, std::size_t bytes, const void* source) = nullptr;
    // The result names the work.
    std::uint64_t (*work_queued)(const QueuedWork& work) = nullptr;
    void (*work_ended)(std::uint64_t number) = nullptr;
    // A stream's task is about to run, behind what `before` says. If it is such work, work_begun()
    // follows.
    void (*task_begun)(std::uint64_t stream, std::uint64_t sequence, const Clock& before) = nullptr;
    void (*work_begun)(std::uint64_t number) = nullptr;
    // The host has waited for all that was ever queued. Set where task_begun is.
    void (*all_ended)() = nullptr;
    // The running block's time is up, and the observer is to end it. In a signal handler.
    void (*time_is_up)() = nullptr;
};

extern HostHooks host_hooks;

// What a queued task holds: tells when the work was queued and when it has run or was given up.
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
