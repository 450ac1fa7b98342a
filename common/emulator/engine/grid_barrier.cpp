// SPDX-License-Identifier: MIT
#include "common/emulator/engine/grid_barrier.hpp"

#include <utility>

#include "common/emulator/process/time_limit.hpp"

namespace emulator {
namespace {

// The position, in its grid, of the block that this OS thread runs.
thread_local std::int64_t position_in_grid = 0;

}  // namespace

GridBarrier::GridBarrier(std::int64_t blocks, bool by_turns,
                         std::function<void(std::int64_t waiting)> on_deadlock)
    : blocks_(blocks),
      on_deadlock_(std::move(on_deadlock)),
      by_turns_(by_turns),
      has_returned_(static_cast<std::size_t>(blocks)),
      turn_changed_(static_cast<std::size_t>(by_turns ? blocks : 0)) {}

void GridBarrier::enter(std::int64_t position) {
    position_in_grid = position;
    std::unique_lock lock(mutex_);
    wait_for_turn(lock, position);
}

void GridBarrier::wait_for_turn(std::unique_lock<std::mutex>& lock, std::int64_t position) {
    if (!by_turns_) return;
    turn_changed_[static_cast<std::size_t>(position)].wait(
        lock, [&] { return failed_ || turn_ == position; });
}

// Gives the turn to the next block that has not returned; after the last, to the first again.
void GridBarrier::pass_turn() {
    if (!by_turns_ || returned_ == blocks_) return;
    do {
        turn_ = (turn_ + 1) % blocks_;
    } while (has_returned_[static_cast<std::size_t>(turn_)]);
    turn_changed_[static_cast<std::size_t>(turn_)].notify_one();
}

bool GridBarrier::arrive_and_wait() {
    const Uninterruptible whole;  // the end of a block calls fail(), which locks
    std::unique_lock lock(mutex_);
    const std::uint64_t round = round_;
    if (++waiting_ == blocks_) {
        waiting_ = 0;
        ++round_;
        changed_.notify_all();
    } else {
        fail_if_incomplete(lock);
    }
    pass_turn();
    changed_.wait(lock, [&] { return failed_ || round_ != round; });
    wait_for_turn(lock, position_in_grid);
    return !failed_;
}

void GridBarrier::leave() {
    std::unique_lock lock(mutex_);
    ++returned_;
    has_returned_[static_cast<std::size_t>(position_in_grid)] = true;
    fail_if_incomplete(lock);
    pass_turn();
}

void GridBarrier::fail_if_incomplete(std::unique_lock<std::mutex>& lock) {
    if (failed_ || waiting_ == 0 || waiting_ + returned_ < blocks_) return;
    const std::int64_t waiting = waiting_;
    lock.unlock();
    on_deadlock_(waiting);
    lock.lock();
}

void GridBarrier::fail() {
    const std::lock_guard lock(mutex_);
    failed_ = true;
    changed_.notify_all();
    for (std::condition_variable& changed : turn_changed_) changed.notify_all();
}

}  // namespace emulator
