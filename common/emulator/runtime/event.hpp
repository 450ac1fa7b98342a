// SPDX-License-Identifier: MIT
// Events: points in streams. During a capture, an event is a point in its graph.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/emulator/device/shared_pages.hpp"
#include "common/emulator/runtime/clock.hpp"
#include "common/emulator/runtime/stream.hpp"

namespace emulator {

// How often an event of several processes was recorded, and how many of these records have been
// reached: in memory that the processes share.
struct SharedRecords {
    std::atomic<std::uint64_t> recorded;
    std::atomic<std::uint64_t> reached;
};

}  // namespace emulator

struct CUevent_st {
    unsigned flags = 0;
    int device = 0;
    bool recorded = false;
    emulator::Progress progress;
    emulator::Clock clock;  // what is ordered before it
    emulator::TimePoint time;  // when the stream reached it, in the device's time
    // What it was recorded in, if its last record was captured: the nodes that come before it.
    std::shared_ptr<emulator::Capture> capture;
    std::vector<cudaGraphNode_t> last_nodes;
    // Of an event of several processes.
    std::shared_ptr<emulator::SharedRecords> shared;
    emulator::SharedPages pages;
};

namespace emulator {

// nullptr for an invalid handle.
std::shared_ptr<CUevent_st> find_event(cudaEvent_t handle);

// The work of the stream up to `sequence` comes before the event, and all that the clock tells.
void record_event(CUevent_st& event, Stream& stream, std::uint64_t sequence, const Clock& clock);

// A new event of the current device.
std::shared_ptr<CUevent_st> make_event(unsigned flags);

// As cudaDeviceReset() does.
void forget_events(int device);

}  // namespace emulator
