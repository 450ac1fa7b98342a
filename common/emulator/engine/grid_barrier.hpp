// SPDX-License-Identifier: MIT
// The barrier of a cooperative grid.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

namespace emulator {

// The blocks of a cooperative grid wait for each other here, each on its own OS thread. With one
// worker they take turns: a block's turn ends when it arrives or returns.
class GridBarrier {
  public:
    // `on_deadlock` is called once, with the number of blocks that wait in vain. It calls fail().
    GridBarrier(std::int64_t blocks, bool by_turns,
                std::function<void(std::int64_t waiting)> on_deadlock);

    // The block at this position of the grid begins.
    void enter(std::int64_t position);
    // False when the grid has failed meanwhile.
    bool arrive_and_wait();
    // A block has returned.
    void leave();
    void fail();

  private:
    // When all blocks wait or have returned, those that wait do so in vain.
    void fail_if_incomplete(std::unique_lock<std::mutex>& lock);
    void pass_turn();
    void wait_for_turn(std::unique_lock<std::mutex>& lock, std::int64_t position);

    const std::int64_t blocks_;
    const std::function<void(std::int64_t)> on_deadlock_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::int64_t waiting_ = 0;
    std::int64_t returned_ = 0;
    std::uint64_t round_ = 0;
    bool failed_ = false;
    const bool by_turns_;
    std::int64_t turn_ = 0;  // the position of the block that runs
    std::vector<bool> has_returned_;  // by position
    std::deque<std::condition_variable> turn_changed_;
};

}  // namespace emulator
