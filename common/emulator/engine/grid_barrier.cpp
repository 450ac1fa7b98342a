// SPDX-License-Identifier: MIT
#include "common/emulator/engine/grid_barrier.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include "common/emulator/process/time_limit.hpp"

namespace emulator {
namespace {

// The position, in its grid, of the block that this OS thread runs.
thread_local std::int64_t position_in_grid = 0;

double processor_seconds() {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

GridBarrier::GridBarrier(std::int64_t blocks, Turns turns,
                         std::function<void(std::int64_t waiting)> on_deadlock)
    : blocks_(blocks),
      on_deadlock_(std::move(on_deadlock)),
      turns_(turns),
      progress_at_(processor_seconds()),
      state_(static_cast<std::size_t>(blocks), State::runs),
      turn_changed_(static_cast<std::size_t>(turns == Turns::none ? 0 : blocks)) {}

void GridBarrier::enter(std::int64_t position) {
    position_in_grid = position;
    std::unique_lock lock(mutex_);
    wait_for_turn(lock, position);
}

void GridBarrier::wait_for_turn(std::unique_lock<std::mutex>& lock, std::int64_t position) {
    constexpr auto kLongTurn = std::chrono::milliseconds(500);
    std::condition_variable* const changed =
        turns_ != Turns::none ? &turn_changed_[static_cast<std::size_t>(position)] : nullptr;
    const auto may_run = [&] { return failed_ || turns_ == Turns::none || turn_ == position; };
    while (!may_run()) {
        if (turns_ == Turns::strict) {
            changed->wait(lock, may_run);
            continue;
        }
        const std::uint64_t seen = turns_given_;
        if (changed->wait_for(lock, kLongTurn, may_run) || turns_given_ != seen) continue;
        turns_ = Turns::none;
        for (std::condition_variable& other : turn_changed_) other.notify_all();
    }
}

// The next block that neither waits nor has returned; after the last, the first again.
void GridBarrier::give_turn_to_next() {
    if (turns_ == Turns::none) return;
    for (std::int64_t step = 1; step <= blocks_; ++step) {
        const std::int64_t next = (turn_ + step) % blocks_;
        if (state_[static_cast<std::size_t>(next)] != State::runs) continue;
        turn_ = next;
        ++turns_given_;
        turn_changed_[static_cast<std::size_t>(next)].notify_one();
        return;
    }
}

bool GridBarrier::pass_turn() {
    const Uninterruptible whole;
    std::unique_lock lock(mutex_);
    polled_seconds_ = processor_seconds() - progress_at_;
    give_turn_to_next();
    wait_for_turn(lock, position_in_grid);
    return !failed_;
}

bool GridBarrier::arrive_and_wait() {
    const Uninterruptible whole;  // the end of a block calls fail(), which locks
    std::unique_lock lock(mutex_);
    const std::uint64_t round = round_;
    progress_at_ = processor_seconds();
    if (++waiting_ == blocks_) {
        waiting_ = 0;
        ++round_;
        std::fill(state_.begin(), state_.end(), State::runs);
        changed_.notify_all();
    } else {
        state_[static_cast<std::size_t>(position_in_grid)] = State::waits;
        fail_if_incomplete(lock);
    }
    give_turn_to_next();
    changed_.wait(lock, [&] { return failed_ || round_ != round; });
    wait_for_turn(lock, position_in_grid);
    return !failed_;
}

void GridBarrier::leave() {
    std::unique_lock lock(mutex_);
    ++returned_;
    progress_at_ = processor_seconds();
    state_[static_cast<std::size_t>(position_in_grid)] = State::has_returned;
    fail_if_incomplete(lock);
    give_turn_to_next();
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
