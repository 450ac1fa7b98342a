// SPDX-License-Identifier: MIT
// Streams: queues of work that runs when the host waits for it, and not before. A program that
// reads a result without waiting for it therefore reads the old value, each time.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "common/emulator/runtime/clock.hpp"

namespace emulator {

using Stream = CUstream_st;

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

// nullptr for a handle that is none. 0 is the legacy default stream.
Stream* find_stream(cudaStream_t handle);

std::shared_ptr<Stream> create_stream(unsigned flags, int priority);
// What is queued still runs.
void destroy_stream(Stream& stream);

// Queues the work behind the stream's, and behind what the default stream's rules say. Result: its
// number, for run_until().
std::uint64_t enqueue(Stream& stream, std::unique_ptr<Task> task);

template <class Function>
std::uint64_t enqueue(Stream& stream, Function function) {
    return enqueue(stream, std::unique_ptr<Task>(new FunctionTask<Function>(std::move(function))));
}

// Runs the stream's work up to this number and all that this waits for. The result is the sticky
// error.
cudaError_t run_until(Stream& stream, std::uint64_t sequence);

bool is_done(const Progress& progress);

// Runs one task of the stream, after what it waits for: a program that polls makes progress.
cudaError_t run_one(Stream& stream);

// What is queued from now on is behind this, whether or not it has ended.
void order_behind(Stream& stream, const Clock& clock);

// The host knows that all this has ended.
void note_host_waited(const Clock& clock);

// The host waits for all of the stream's work.
cudaError_t wait_for(Stream& stream);

// The host waits for everything; the streams run in the schedule's order.
cudaError_t run_all();

// As cudaDeviceReset() does: gives up what is queued, and all streams but the default one.
void forget_streams();

}  // namespace emulator

struct CUstream_st : std::enable_shared_from_this<CUstream_st> {
    std::uint64_t id = 0;
    unsigned flags = 0;
    int priority = 0;
    bool destroyed = false;  // by the program; what is queued still runs
    std::deque<std::unique_ptr<emulator::Task>> queue;
    std::uint64_t queued = 0;  // number of the last task queued
    std::uint64_t done = 0;  // number of the last task done
    emulator::Clock clock;  // what the next task is behind

    bool blocking() const { return (flags & cudaStreamNonBlocking) == 0; }
    bool has_work() const { return !queue.empty(); }
};
