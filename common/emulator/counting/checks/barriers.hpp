// SPDX-License-Identifier: MIT
// Barriers in divergent code: threads of a block wait at different lines, or wait forever.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "common/emulator/engine/worker.hpp"

namespace emulator::counting {

// The threads of a block that wait at a barrier, and the places where they wait.
class ArrivedThreads {
  public:
    void clear();
    void add(int thread, const void* code);
    // The thread waits for other threads of its warp.
    void add_collective(int thread, const void* code) { collective_at_[thread] = code; }
    // All threads have arrived. Reports those that wait at another line.
    void complete(Worker& worker);
    // No other thread can arrive any more.
    void report_deadlock(Worker& worker) const;

  private:
    int first_in_collective(Worker& worker) const;
    int first_at_barrier(int other) const;

    std::vector<std::uint16_t> threads_;
    std::array<const void*, kMaxThreadsPerBlock> barrier_at_{};
    std::array<const void*, kMaxThreadsPerBlock> collective_at_{};
    bool at_one_place_ = true;
};

}  // namespace emulator::counting
