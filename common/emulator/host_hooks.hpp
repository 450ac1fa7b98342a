// SPDX-License-Identifier: MIT
// Where an observer of memory and of queued work attaches: functions that are called when set, on
// the host's thread, with the runtime's lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "memory.hpp"

namespace emulator {

// Work that waits in a stream: a kernel, whose memory is not known, or a copy.
struct QueuedWork {
    std::string kernel;  // empty for a copy
    std::uint64_t grid = 0;  // its serial number
    const void* written = nullptr;
    std::size_t written_bytes = 0;
    const void* read = nullptr;
    std::size_t read_bytes = 0;
};

struct HostHooks {
    void (*memory_allocated)() = nullptr;
    void (*memory_freed)(const Allocation& allocation) = nullptr;
    // A copy or a set has run. `source`: where it copied from, if that is device memory.
    void (*memory_written)(const void* begin, std::size_t bytes, const void* source) = nullptr;
    // The result names the work.
    std::uint64_t (*work_queued)(const QueuedWork& work) = nullptr;
    void (*work_ended)(std::uint64_t number) = nullptr;
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
    PendingWork(PendingWork&& other) noexcept
        : is_told_(std::exchange(other.is_told_, false)), number_(other.number_) {}
    PendingWork(const PendingWork&) = delete;
    PendingWork& operator=(const PendingWork&) = delete;

  private:
    bool is_told_;
    std::uint64_t number_;
};

}  // namespace emulator
