// SPDX-License-Identifier: MIT
// Streams: queues of work that runs when the host waits for it, and not before. A program that
// reads a result without waiting for it therefore reads the old value every time.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/emulator/runtime/clock.hpp"

namespace emulator {

using Stream = CUstream_st;
using TimePoint = std::chrono::steady_clock::time_point;
struct Capture;  // graphs/capture.hpp

constexpr int kLeastPriority = 0;
constexpr int kGreatestPriority = -5;

// Work up to and including `sequence` of a stream.
struct Progress {
    std::shared_ptr<Stream> stream;
    std::uint64_t sequence = 0;
};

class Task {
  public:
    virtual ~Task() = default;
    virtual void run() = 0;

    std::uint64_t sequence = 0;
    TimePoint queued_at;
    bool takes_time = true;  // false: a mark in the stream, for which no work of others matters
    std::vector<Progress> waits_for;  // in other streams
    Clock before;  // what must have ended, whether or not it has; only for an observer
};

template <class Function>
class FunctionTask final : public Task {
  public:
    explicit FunctionTask(Function function) : function_(std::move(function)) {}
    void run() override { function_(); }

  private:
    Function function_;
};

// nullptr for an invalid handle. 0 is the current device's legacy default stream.
Stream* find_stream(cudaStream_t handle);
Stream& legacy_stream(int device);
bool is_legacy(const Stream& stream);

// Of the current device.
std::shared_ptr<Stream> create_stream(unsigned flags, int priority);
// What is queued still runs.
void destroy_stream(Stream& stream);

// Queues the work after the stream's other work, and after the work that the default stream's rules
// demand. Returns its number, for run_until().
std::uint64_t enqueue(Stream& stream, std::unique_ptr<Task> task);

template <class Function>
std::uint64_t enqueue(Stream& stream, Function function) {
    return enqueue(stream, std::unique_ptr<Task>(new FunctionTask<Function>(std::move(function))));
}

// Runs the stream's work up to this number, and all work that it waits for. Returns the sticky
// error.
cudaError_t run_until(Stream& stream, std::uint64_t sequence);

bool is_done(const Progress& progress);

// In a task: the time on its device. A device begins a task when it is queued, when all that it
// waits for has ended, and when the device is free. The engine runs the task later, when the host
// waits for it, and the host's time until then is no time of the device. Tasks of several streams
// take turns here, so that events never claim an overlap that the engine does not have.
TimePoint device_time();

// Runs one task of the stream, after what it waits for: a program that polls makes progress.
cudaError_t run_one(Stream& stream);

// All that is queued in the stream from now on is ordered after this, whether it has ended or not.
void order_after(Stream& stream, const Clock& clock);

// The host knows that all this has ended.
void note_host_waited(const Clock& clock);
// Work of the stream's device ends with these tasks, which have ids of their own.
void note_queued(Stream& stream, const Clock& clock);
// A new id for the tasks of a graph, as a stream has one. Ids are used again: the result's
// sequence is the last one in use.
TaskPlace take_id();
void give_back_id(const TaskPlace& last);

// Runs all of the stream's work: the host waits for it.
cudaError_t wait_for(Stream& stream);

// Runs all work of a device, the streams in the schedule's order: the host waits for it.
cudaError_t run_all(int device);
// Runs the work of all devices.
cudaError_t run_everything();

// As cudaDeviceReset() does: gives up what is queued on the device, and all its streams but the
// default one.
void forget_streams(int device);

// Which of `count` candidates comes next, as the schedule says. `random` changes with each call.
std::int64_t choose(std::int64_t count, std::uint64_t& random);

// "stream 3", "the default stream of device 1": for messages.
std::string name_of_stream(std::uint64_t id);

}  // namespace emulator

struct CUstream_st : std::enable_shared_from_this<CUstream_st> {
    std::uint64_t id = 0;
    unsigned flags = 0;
    int priority = 0;
    std::map<cudaLaunchAttributeID, cudaLaunchAttributeValue> attributes;  // that were set
    int device = 0;
    bool destroyed = false;  // by the program; what is queued still runs
    std::deque<std::unique_ptr<emulator::Task>> queue;
    std::uint64_t queued = 0;  // number of the last task queued
    std::uint64_t done = 0;  // number of the last task done
    emulator::TimePoint ended_at;  // when that task ended, in the device's time
    emulator::Clock clock;  // what is ordered before the next task
    std::shared_ptr<emulator::Capture> capture;  // that the stream takes part in
    std::vector<cudaGraphNode_t> last_nodes;  // of the capture: what the next node comes after

    bool blocking() const { return (flags & cudaStreamNonBlocking) == 0; }
    bool has_work() const { return !queue.empty(); }
};
