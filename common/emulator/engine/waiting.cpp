// SPDX-License-Identifier: MIT
// How the threads of a block wait for each other: the switch from fiber to fiber, barriers, and
// operations of a warp. All in one file, because the path from the kernel to the switch is inlined.
#include <algorithm>
#include <functional>
#include <string>

#include "common/emulator/engine/deadlock.hpp"
#include "common/emulator/engine/grid_barrier.hpp"
#include "common/emulator/engine/hooks.hpp"
#include "common/emulator/engine/worker.hpp"
#include "common/emulator/process/time_limit.hpp"

namespace emulator {

// If no thread can run, releases those that wait for exactly this.
[[gnu::always_inline]] inline void Worker::release_if_stuck() {
    if (ready_head_ != ready_tail_) return;
    if (!held_.empty()) release_held();
    if (ready_head_ == ready_tail_ && loop_.next == loop_.count && !converging_.empty()) {
        release_converged();
    }
    if (ready_head_ == ready_tail_ && loop_.next == loop_.count && async_ != nullptr) {
        release_polling();
    }
}

// Inline, like its callers: there are fewer returns, and after a switch the processor may
// mispredict each of them.
[[gnu::always_inline]] inline void Worker::switch_thread(ThreadContext& self, Context next) {
    switch_context(next, &suspended_[self.linear_index]);
    current_thread = &self;
    threadIdx = self.thread_index;
}

// Runs the others until it is the turn of `self`, which waits or is ready. Ready threads come
// before those that have not started, so a warp that meets often stays on its 32 fibers.
[[gnu::always_inline]] inline void Worker::leave(ThreadContext& self) {
    Context next = nullptr;
    release_if_stuck();
    if (ready_head_ != ready_tail_) {
        const std::uint16_t thread = ready_[ready_head_++ % kMaxThreadsPerBlock];
        if (thread == self.linear_index) return;
        next = suspended_[thread];
        // The one after it: its stack may have left the nearest cache. Without such a thread this
        // is an older one, which does no harm.
        __builtin_prefetch(suspended_[ready_[ready_head_ % kMaxThreadsPerBlock]]);
    } else {
        next = loop_.next < loop_.count ? take_fiber() : main_context_;
    }
    switch_thread(self, next);
}

// ---- Fibers

void Worker::fiber_main() {
    Worker& worker = *running_worker;
    const int self = worker.made_fibers_ - 1;
    for (;;) {
        current_thread = nullptr;  // not the one that waits, on another fiber
        worker.grid_->call->run_threads(worker.loop_);
        worker.idle_fibers_.push_back(self);
        worker.release_if_stuck();
        switch_context(worker.next_context(worker.main_context_), &worker.fibers_[self]);
    }
}

[[gnu::noinline]] Context Worker::take_fiber() {
    if (!idle_fibers_.empty()) {
        const int fiber = idle_fibers_.back();
        idle_fibers_.pop_back();
        return fibers_[fiber];
    }
    return stacks_.make(made_fibers_++, fiber_main);
}

// Where the worker continues: with a ready thread, or else with what the caller says.
Context Worker::next_context(Context otherwise) {
    if (ready_head_ == ready_tail_) return otherwise;
    return suspended_[ready_[ready_head_++ % kMaxThreadsPerBlock]];
}

inline void Worker::make_ready(std::uint16_t thread) {
    ready_[ready_tail_++ % kMaxThreadsPerBlock] = thread;
}

void Worker::abandon_block() {
    Context abandoned = nullptr;
    switch_context(main_context_, &abandoned);
    __builtin_unreachable();
}

void Worker::release_waiters_of(const ThreadContext& ended) {
    const int warp = ended.linear_index / kWarpSize;
    const std::uint32_t live = loop_.live_lanes[warp];
    for (int i = warps_[warp].meetings - 1; i >= 0; --i) {
        const WarpMeeting& meeting = warps_[warp].meeting[i];
        if (meeting.arrived == (meeting.mask & live)) complete_warp_meeting(warp, i);
    }
    if (block_meeting_.arrived > 0 && block_meeting_.arrived == loop_.live) {
        complete_block_meeting();
    }
}

// ---- Barriers

// Not in the function that waits: its frame lies on the stack of every thread that waits, and the
// processor's nearest cache holds few lines per thread.
[[noreturn, gnu::noinline]] void refuse_barrier(BlockMeeting::Kind kind,
                                                BlockMeeting::Kind of_others) {
    const std::string message = std::string("reached ") + describe(kind) +
                                " while other threads of the block wait at " + describe(of_others);
    fail_kernel(cudaErrorLaunchFailure, message.c_str());
}

// What nearly every thread does at a __syncthreads(), in as few instructions as possible.
[[gnu::always_inline]] inline bool Worker::wait_for_others() {
    const int arrived = block_meeting_.arrived;
    const unsigned head = ready_head_;
    // If this thread is the last to arrive, no other is ready.
    if (!block_meeting_.is_quick || head == ready_tail_) return false;
    ThreadContext& self = *current_thread;
    block_meeting_.order[arrived] = self.linear_index;
    block_meeting_.arrived = arrived + 1;
    ready_head_ = head + 1;
    const Context next = suspended_[ready_[head % kMaxThreadsPerBlock]];
    __builtin_prefetch(suspended_[ready_[(head + 1) % kMaxThreadsPerBlock]]);
    switch_thread(self, next);
    return true;
}

[[gnu::always_inline]] inline int Worker::wait_for_block(BlockMeeting::Kind kind, int value) {
    ThreadContext& self = *current_thread;
    if (block_meeting_.arrived > 0 && block_meeting_.kind != kind) [[unlikely]] {
        refuse_barrier(kind, block_meeting_.kind);
    }
    block_meeting_.kind = kind;
    block_meeting_.true_values += value != 0;
    if (block_meeting_.arrived == 0) {
        ++loop_.waiting;
        block_meeting_.is_quick =
            kind == BlockMeeting::Kind::plain && hooks.barrier_begin == nullptr;
    }
    block_meeting_.order[block_meeting_.arrived++] = self.linear_index;
    if (block_meeting_.arrived == loop_.live) complete_block_meeting();
    leave(self);
    // Still the result of this barrier: the next one completes only after this thread arrives
    // there.
    return block_meeting_.result;
}

void Worker::complete_block_meeting() {
    if (hooks.barrier_complete != nullptr) hooks.barrier_complete(*this);
    if (block_meeting_.kind == BlockMeeting::Kind::grid) {
        if (!grid_->barrier->arrive_and_wait()) abandon_block();
        if (hooks.grid_barrier_complete != nullptr) hooks.grid_barrier_complete(*this);
    }
    switch (block_meeting_.kind) {
        case BlockMeeting::Kind::plain:
        case BlockMeeting::Kind::grid:
            block_meeting_.result = 0;
            break;
        case BlockMeeting::Kind::count:
            block_meeting_.result = block_meeting_.true_values;
            break;
        case BlockMeeting::Kind::all:
            block_meeting_.result = block_meeting_.true_values == block_meeting_.arrived;
            break;
        case BlockMeeting::Kind::any:
            block_meeting_.result = block_meeting_.true_values > 0;
            break;
    }
    for (int i = 0; i < block_meeting_.arrived; ++i) make_ready(block_meeting_.order[i]);
    --loop_.waiting;
    block_meeting_.arrived = 0;
    block_meeting_.is_quick = false;
    block_meeting_.true_values = 0;
}

// ---- Warp collectives

[[noreturn, gnu::noinline]] void refuse_mask(WarpOperation operation, std::uint32_t mask,
                                             const void* code) {
    const std::string message = std::string("called ") + describe(operation) + " with mask " +
                                hexadecimal(mask) + ", which does not include its own lane";
    refuse_call(cudaErrorLaunchFailure, code, message.c_str(),
                "call it with a mask of all lanes that take part, and only in these lanes");
}

[[gnu::always_inline]] inline std::uint64_t Worker::wait_for_warp(WarpOperation operation,
                                                                  std::uint32_t mask,
                                                                  std::uint64_t value, int argument,
                                                                  int width) {
    ThreadContext& self = *current_thread;
    const int warp_number = self.linear_index / kWarpSize;
    const int lane = self.linear_index % kWarpSize;
    const std::uint32_t bit = 1u << lane;
    Warp& warp = warps_[warp_number];
    warp.value[lane] = value;
    warp.argument[lane] = argument;
    warp.width[lane] = width;
    int i = 0;
    while (i < warp.meetings &&
           (warp.meeting[i].mask != mask || warp.meeting[i].operation != operation)) {
        ++i;
    }
    WarpMeeting& meeting = warp.meeting[i];
    if (i == warp.meetings) {
        ++warp.meetings;
        meeting.operation = operation;
        meeting.mask = mask;
        meeting.arrived = 0;
        meeting.count = 0;
    }
    meeting.arrived |= bit;
    meeting.order[meeting.count++] = static_cast<std::uint8_t>(lane);
    ++loop_.waiting;
    if (meeting.arrived == (mask & loop_.live_lanes[warp_number])) {
        complete_warp_meeting(warp_number, i);
    }
    leave(self);
    return warp.result[lane];
}

// Hardware answers at once, and its scheduler decides which lanes are together. Here a lane waits
// until no thread of the block can continue. The answer is then the lanes that wait at the same
// place: the greatest possible convergence, and never a lane that took another branch.
std::uint32_t Worker::wait_for_convergence(const void* place) {
    ThreadContext& self = *current_thread;
    converging_.push_back({self.linear_index, place});
    ++loop_.waiting;
    leave(self);
    return static_cast<std::uint32_t>(
        warps_[self.linear_index / kWarpSize].result[self.linear_index % kWarpSize]);
}

// In each warp, releases the lanes at the lowest address: they may join the lanes at a later one.
void Worker::release_converged() {
    std::array<const void*, kMaxWarpsPerBlock> places{};
    std::array<std::uint32_t, kMaxWarpsPerBlock> lanes{};
    for (const ConvergingThread& waiting : converging_) {
        const int warp = waiting.thread / kWarpSize;
        if (places[warp] == nullptr || std::less<>()(waiting.place, places[warp])) {
            places[warp] = waiting.place;
            lanes[warp] = 0;
        }
        if (waiting.place == places[warp]) lanes[warp] |= 1u << waiting.thread % kWarpSize;
    }
    for (int warp = 0; hooks.collective_complete != nullptr && warp < kMaxWarpsPerBlock; ++warp) {
        if (lanes[warp] != 0) {
            hooks.collective_complete(*this, warp, lanes[warp], nullptr, nullptr);
        }
    }
    std::erase_if(converging_, [&](const ConvergingThread& waiting) {
        const int warp = waiting.thread / kWarpSize;
        if (waiting.place != places[warp]) return false;
        warps_[warp].result[waiting.thread % kWarpSize] = lanes[warp];
        make_ready(waiting.thread);
        --loop_.waiting;
        return true;
    });
}

void Worker::suspend() {
    ++loop_.waiting;
    leave(*current_thread);
}

void Worker::resume(std::uint16_t thread) {
    make_ready(thread);
    --loop_.waiting;
}

// Threads that test a phase go on, in the hope that one of them does something else. After many
// rounds in which no thread arrives anywhere, they are left: that is a deadlock.
[[gnu::noinline]] void Worker::release_polling() {
    constexpr int kMaxFruitlessRounds = 10000;
    if (async_->fruitless_rounds == kMaxFruitlessRounds) return;
    const auto released = std::erase_if(async_->waiters, [&](const PhaseWaiter& waiter) {
        if (waiter.polls) resume(waiter.thread);
        return waiter.polls;
    });
    async_->fruitless_rounds += released > 0;
}

void Worker::hold() {
    ThreadContext& self = *current_thread;
    held_.push_back(self.linear_index);
    ++loop_.waiting;
    leave(self);
}

// Nothing is ready. If the next thread to start belongs to a warp that holds, it comes first. So
// does every thread that has yet to start if the others only poll: they may wait for it.
void Worker::release_held() {
    const int warp_to_start =
        loop_.next < loop_.count ? loop_.order[loop_.next] / kWarpSize : kMaxWarpsPerBlock;
    std::array<std::uint32_t, kMaxWarpsPerBlock> lanes{};
    for (const std::uint16_t thread : held_) {
        if (thread / kWarpSize == warp_to_start) return;
        lanes[thread / kWarpSize] |= 1u << thread % kWarpSize;
    }
    bool all_poll = hooks.warp_polls != nullptr;
    for (int warp = 0; warp < kMaxWarpsPerBlock; ++warp) {
        if (all_poll && lanes[warp] != 0) all_poll = hooks.warp_polls(*this, warp, lanes[warp]);
    }
    if (all_poll && loop_.next < loop_.count) return;
    for (int warp = 0; warp < kMaxWarpsPerBlock; ++warp) {
        if (lanes[warp] != 0) hooks.warp_held(*this, warp, lanes[warp]);
    }
    if (all_poll && has_turns()) pass_turn();
    for (const std::uint16_t thread : held_) make_ready(thread);
    loop_.waiting -= static_cast<int>(held_.size());
    held_.clear();
}

bool Worker::has_turns() const {
    return grid_->barrier != nullptr && grid_->barrier->has_strict_turns();
}

void Worker::pass_turn() {
    hooks.turn_passes(*this);
    if (!grid_->barrier->pass_turn()) abandon_block();
    const double limit = settings().time_limit * kLaunchTimeFactor;
    if (limit > 0 && grid_->barrier->has_polled_longer_than(limit)) hooks.time_is_up();
}

void Worker::complete_warp_meeting(int warp_number, int meeting_number) {
    Warp& warp = warps_[warp_number];
    const WarpMeeting& meeting = warp.meeting[meeting_number];
    if (hooks.collective_complete != nullptr) {
        hooks.collective_complete(*this, warp_number, meeting.arrived, &warp, &meeting);
    }
    compute_warp_results(warp, meeting);
    if (hooks.collective_computed != nullptr) [[unlikely]] {
        hooks.collective_computed(*this, warp_number, warp, meeting);
    }
    for (int i = 0; i < meeting.count; ++i) {
        make_ready(static_cast<std::uint16_t>(warp_number * kWarpSize + meeting.order[i]));
    }
    loop_.waiting -= meeting.count;
    if (meeting_number != --warp.meetings) {
        warp.meeting[meeting_number] = warp.meeting[warp.meetings];
    }
}

// ---- What kernels call

// With what is rare: a recorded barrier, one that gives a value, the first and the last to arrive.
[[gnu::noinline]] int any_block_barrier(BarrierKind kind, int value, const void* code) noexcept {
    if (hooks.barrier_begin != nullptr && !hooks.barrier_begin(*running_worker, code, false)) {
        return value;
    }
    return running_worker->wait_for_block(static_cast<BlockMeeting::Kind>(kind), value);
}

int block_barrier(BarrierKind kind, int value) noexcept {
    if (kind == BarrierKind::plain && running_worker->wait_for_others()) return 0;
    return any_block_barrier(kind, value, __builtin_return_address(0));
}

std::uint64_t warp_collective(WarpOperation operation, std::uint32_t mask, std::uint64_t value,
                              int argument, int width) noexcept {
    if ((mask >> lane_index() & 1) == 0) [[unlikely]] {
        refuse_mask(operation, mask, __builtin_return_address(0));
    }
    if (hooks.collective_begin != nullptr &&
        !hooks.collective_begin(*running_worker, __builtin_return_address(0), operation, mask)) {
        return value;
    }
    return running_worker->wait_for_warp(operation, mask, value, argument, width);
}

[[gnu::noinline]] std::uint32_t active_mask() noexcept {
    if (hooks.convergence_begin != nullptr) {
        hooks.convergence_begin(*running_worker, __builtin_return_address(0));
    }
    return running_worker->wait_for_convergence(__builtin_return_address(0));
}

void grid_barrier() noexcept {
    if (!grid_is_cooperative()) {
        refuse_call(cudaErrorLaunchFailure, __builtin_return_address(0),
                    "waits for the whole grid, which was not launched cooperatively",
                    "launch the kernel by cudaLaunchCooperativeKernel()");
    }
    if (hooks.barrier_begin != nullptr &&
        !hooks.barrier_begin(*running_worker, __builtin_return_address(0), true)) {
        return;
    }
    running_worker->wait_for_block(BlockMeeting::Kind::grid, 0);
}

}  // namespace emulator
