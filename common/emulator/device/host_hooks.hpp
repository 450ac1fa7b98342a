// SPDX-License-Identifier: MIT
// Where an observer of memory and of queued work attaches: functions that are called if they are
// set, on the host's thread, with the runtime's lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace emulator {

struct Allocation;  // memory.hpp
struct QueuedWork;  // runtime/queued_work.hpp
class Clock;  // runtime/clock.hpp
struct TaskPlace;  // runtime/clock.hpp

// The last two: to and from other ranks (NCCL).
enum class TransferKind { host_to_device, device_to_host, device_to_device, set, sent, received };

struct HostHooks {
    void (*memory_allocated)(const Allocation& allocation) = nullptr;
    void (*memory_freed)(const Allocation& allocation) = nullptr;
    // A copy or a set has run. `source`: where it copied from, if that is device memory.
    void (*memory_written)(const void* begin, std::size_t bytes, const void* source) = nullptr;
    // A copy from device memory to the host has run.
    void (*copied_back)(void* destination, const void* source, std::size_t bytes) = nullptr;
    // The host passes memory of the device heap to a function that frees it or uses it.
    void (*heap_refused)(const char* function, const void* pointer, bool frees) = nullptr;
    // Pages of the device heap in which nothing is allocated have gone back to the system. Called
    // in device code, too.
    void (*heap_pages_released)(const void* begin, std::size_t bytes) = nullptr;
    // The host's launch is refused. The result is a number for the place of the launch.
    std::uint64_t (*launch_refused)() = nullptr;
    // The host is in a call that describes work: a graph's node. The result is for QueuedWork.
    std::shared_ptr<const void> (*note_caller)() = nullptr;
    // The result is a number for the work.
    std::uint64_t (*work_queued)(const QueuedWork& work) = nullptr;
    void (*work_ended)(std::uint64_t number) = nullptr;
    // A stream's task is about to run, ordered after `before`. If it is such work, work_begun()
    // follows.
    void (*task_begun)(const TaskPlace& place, const Clock& before) = nullptr;
    void (*work_begun)(std::uint64_t number) = nullptr;
    // The host has waited for all that was ever queued. Set where task_begun is.
    void (*all_ended)() = nullptr;
    // Bytes were copied or set by a call of the host.
    void (*transfer)(TransferKind kind, std::uint64_t bytes) = nullptr;
};

inline HostHooks host_hooks;

}  // namespace emulator
