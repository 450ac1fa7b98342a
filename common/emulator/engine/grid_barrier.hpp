// SPDX-License-Identifier: MIT
// The barrier of a cooperative grid.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

namespace emulator {

// The blocks of a cooperative grid wait for each other here, each on its own OS thread. With one
// worker they take turns: a block's turn ends when it arrives or returns, or when it polls what
// another block has yet to write.
class GridBarrier {
  public:
    enum class Turns {
        none,  // all blocks run at once
        // Nobody sees whether a block polls. If one turn takes too long, all blocks run at once.
        while_short,
        strict,  // only pass_turn() ends a turn early
    };
    // `on_deadlock` is called once, with the number of blocks that wait in vain. It calls fail().
    GridBarrier(std::int64_t blocks, Turns turns,
                std::function<void(std::int64_t waiting)> on_deadlock);

    // The block at this position of the grid begins.
    void enter(std::int64_t position);
    // False when the grid has failed meanwhile.
    bool arrive_and_wait();
    // A block has returned.
    void leave();
    bool has_strict_turns() const { return turns_ == Turns::strict; }
    // With strict turns: the other blocks run until each has arrived, has returned, or passes its
    // turn, too. False when the grid has failed meanwhile.
    bool pass_turn();
    // Whether the blocks have passed their turns for so long, in seconds of processor time, and
    // none has arrived or returned.
    bool has_polled_longer_than(double seconds) const { return polled_seconds_ > seconds; }
    void fail();

  private:
    enum class State : unsigned char { runs, waits, has_returned };

    // When all blocks wait or have returned, those that wait do so in vain.
    void fail_if_incomplete(std::unique_lock<std::mutex>& lock);
    void give_turn_to_next();
    void wait_for_turn(std::unique_lock<std::mutex>& lock, std::int64_t position);

    const std::int64_t blocks_;
    const std::function<void(std::int64_t)> on_deadlock_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::int64_t waiting_ = 0;
    std::int64_t returned_ = 0;
    std::uint64_t round_ = 0;
    bool failed_ = false;
    Turns turns_;
    std::int64_t turn_ = 0;  // the position of the block that runs
    std::uint64_t turns_given_ = 0;
    double progress_at_ = 0;  // processor time when a block last arrived or returned
    std::atomic<double> polled_seconds_ = 0;
    std::vector<State> state_;  // by position
    std::deque<std::condition_variable> turn_changed_;
};

}  // namespace emulator
