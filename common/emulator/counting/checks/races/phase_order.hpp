// SPDX-License-Identifier: MIT
// The order that phases of mbarriers make between threads of a block: what a thread did before it
// arrives comes before what another thread does after it has waited for the end of that phase.
// PTX ISA, "mbarrier.arrive" and "mbarrier.test_wait": release and acquire.
//
// A stamp is a position in the history of a warp (order.hpp). Stamps start anew at each barrier of
// the block, which orders everything before it.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "common/emulator/counting/checks/races/order.hpp"
#include "common/emulator/engine/worker.hpp"

namespace emulator::counting {

class PhaseOrder {
  public:
    void begin_block(int threads);
    // After a barrier of the block.
    void begin_interval();
    bool in_use() const { return in_use_; }

    // The lane arrives. `history` is that of its warp.
    void arrive(std::uintptr_t barrier, int thread, const WarpHistory& history);
    // The phase has ended, and with it a copy that `thread` issued at this stamp.
    void end_copy(std::uintptr_t barrier, int thread, std::uint32_t stamp);
    void end_phase(std::uintptr_t barrier, std::uint64_t phase);
    // The thread has waited for the phase, or for the arrivals until now.
    void wait(int thread, std::uint64_t phase);
    void wait_for_arrivals(int thread, std::uintptr_t barrier);
    // What `other` did until this stamp comes before what the thread does from now on.
    void learn(int thread, int other, std::uint32_t stamp);
    // The lanes met in a __syncwarp(): each knows what the others know.
    void join_lanes(int warp, std::uint32_t mask);

    bool orders(const Access& earlier, int later_thread) const;

  private:
    // By thread: its accesses with smaller stamps come before.
    using Stamps = std::vector<std::uint16_t>;

    Stamps& of(std::uintptr_t barrier);
    Stamps& known_to(int thread);
    static void join(Stamps& stamps, const Stamps& other);

    bool in_use_ = false;
    std::size_t threads_ = 0;
    std::vector<Stamps> known_;  // by thread; empty: nothing
    std::unordered_map<std::uintptr_t, Stamps> arrived_;  // by barrier
    std::unordered_map<std::uint64_t, Stamps> ended_;  // by phase
};

}  // namespace emulator::counting
