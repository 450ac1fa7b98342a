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
    // The thread waits at the barrier at `code`. `path`: the calls that lead there (paths.hpp).
    void add(int thread, const void* code, std::uint16_t path);
    // The thread waits for other threads of its warp.
    void add_collective(int thread, const void* code, std::uint16_t path) {
        collective_at_[thread] = {code, path};
    }
    // Where the thread waited last for its warp.
    struct Place {
        const void* code;
        std::uint16_t path;
        bool operator==(const Place&) const = default;
    };
    const Place& collective_of(int thread) const { return collective_at_[thread]; }
    // All threads that have not ended have arrived. Reports those that wait at another line, and
    // warns if others have ended.
    void complete(Worker& worker);
    // No other thread can arrive any more.
    void report_deadlock(Worker& worker) const;

  private:
    bool is_at_place_of(int thread, int other) const;
    void report_divergence(Worker& worker);
    void warn_of_ended(Worker& worker);
    int first_in_collective(Worker& worker) const;
    int first_at_barrier(int other) const;

    std::vector<std::uint16_t> threads_;
    std::array<const void*, kMaxThreadsPerBlock> barrier_at_{};
    std::array<std::uint16_t, kMaxThreadsPerBlock> path_{};
    std::array<Place, kMaxThreadsPerBlock> collective_at_{};
    bool at_one_place_ = true;
    bool diverged_ = false;  // earlier in this block
    std::vector<const void*> warned_;  // places that warn_of_ended() has reported
};

}  // namespace emulator::counting
