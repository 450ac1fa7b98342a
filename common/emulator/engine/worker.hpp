// SPDX-License-Identifier: MIT
// A worker runs one block at a time on its OS thread; fibers run the block's threads.
//
// Fibers are lazy. One fiber runs the threads one after the other (KernelCall::run_threads); when a
// thread waits, it keeps that fiber, and another fiber continues with the threads that have not
// started. A kernel without barriers is thus a plain loop on one fiber.
#pragma once

#include <array>
#include <cstdint>
#include <emulator/launch.hpp>
#include <emulator/thread.hpp>
#include <memory>
#include <span>
#include <vector>

#include "common/emulator/engine/async/async_work.hpp"
#include "common/emulator/engine/fibers/fiber.hpp"
#include "common/emulator/engine/grid.hpp"
#include "common/emulator/engine/meeting.hpp"
#include "common/emulator/process/executable.hpp"
#include "common/emulator/process/settings.hpp"

namespace emulator {

// A thread that asked which lanes of its warp are with it (active_mask), and the place of the call.
struct ConvergingThread {
    std::uint16_t thread;
    const void* place;
};

class Worker {
  public:
    // The calling OS thread's worker, made at the first call.
    static Worker& current();

    Worker();
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    // Runs a block to its end. A failure is reported and marks the grid.
    void run_block(Grid& grid, std::int64_t block);

    // For the running thread.
    int wait_for_block(BlockMeeting::Kind kind, int value);
    // The same for a __syncthreads(), if others are missing and a thread is ready; else does
    // nothing and returns false.
    bool wait_for_others();
    std::uint64_t wait_for_warp(WarpOperation operation, std::uint32_t mask, std::uint64_t value,
                                int argument, int width);
    std::uint32_t wait_for_convergence(const void* place);
    void release_waiters_of(const ThreadContext& ended);
    [[noreturn]] void abandon_block();
    // The running thread waits until another one resumes it.
    void suspend();
    void resume(std::uint16_t thread);
    // For an observer, in the running thread: waits until no other thread of its warp can continue
    // without one that holds. Then Hooks::warp_held is called, and they continue.
    void hold();
    // Whether the block runs by turns with the others of its grid, and may pass its turn to them.
    bool has_turns() const;
    void pass_turn();

    Grid& grid() { return *grid_; }
    std::int64_t block() const { return block_; }
    std::span<ThreadContext> threads() { return {threads_.data(), unsigned(loop_.count)}; }
    // The lanes that have not returned.
    std::uint32_t live_lanes(int warp) const { return loop_.live_lanes[warp]; }
    bool some_wait() const { return loop_.waiting > 0; }
    // The warp of the thread that starts next, or -1.
    int next_warp() const {
        return loop_.next < loop_.count ? loop_.order[loop_.next] / kWarpSize : -1;
    }
    void* dynamic_shared() const { return dynamic_shared_; }
    std::size_t dynamic_shared_bytes() const { return dynamic_shared_bytes_; }
    // Whether all bytes lie in the block's shared memory.
    bool is_shared(const void* address, std::size_t bytes) const;
    AsyncWork& async();
    // What its threads wait for if it has used async(); else nullptr.
    const AsyncWork* async_if_used() const { return async_.get(); }
    const FiberStacks& stacks() const { return stacks_; }
    // Whether the address lies in the guard page that follows the dynamic shared memory.
    bool guards_shared_memory(const void* address) const;
    // Numbers the block's device-side launches.
    int next_launch() { return launches_++; }

  private:
    static void fiber_main();

    void set_up_threads(const dim3& block_dim);
    void set_up_order();
    void set_up_shared_memory(std::size_t bytes);
    Context take_fiber();
    Context next_context(Context otherwise);
    void make_ready(std::uint16_t thread);
    void switch_thread(ThreadContext& self, Context next);
    void leave(ThreadContext& self);
    void complete_block_meeting();
    void complete_warp_meeting(int warp, int meeting);
    void release_converged();
    void release_held();
    void release_polling();
    void release_if_stuck();

    Grid* grid_ = nullptr;
    std::int64_t block_ = 0;
    BlockContext block_context_{};
    ThreadLoop loop_{};
    std::vector<ThreadContext> threads_;
    std::vector<std::uint16_t> order_;
    dim3 shaped_for_{0, 0, 0};  // the block_dim that threads_ has
    Schedule::Order ordered_as_ = Schedule::Order::in_order;
    int launches_ = 0;

    FiberStacks stacks_;
    Context main_context_ = nullptr;
    std::vector<Context> suspended_;  // by thread: where it waits
    std::vector<Context> fibers_;  // by fiber: where it continues when it is idle
    std::vector<int> idle_fibers_;
    int made_fibers_ = 0;

    // Threads that may go on, first come first served: a ring.
    std::array<std::uint16_t, kMaxThreadsPerBlock> ready_{};
    unsigned ready_head_ = 0;
    unsigned ready_tail_ = 0;

    BlockMeeting block_meeting_;
    std::vector<Warp> warps_;
    std::vector<ConvergingThread> converging_;
    std::vector<std::uint16_t> held_;
    std::unique_ptr<AsyncWork> async_;

    std::vector<SharedRange> static_shared_;
    char* shared_memory_ = nullptr;  // kMaxDynamicSharedBytes and a guard page
    void* dynamic_shared_ = nullptr;
    std::size_t dynamic_shared_bytes_ = 0;
    void* signal_stack_ = nullptr;
};

// Ends the kernel because of a call at `code` that no device would accept.
[[noreturn]] void refuse_call(int cuda_error, const void* code, const char* what,
                              const char* advice);

// The worker whose block the calling OS thread runs; nullptr in host code.
EMULATOR_THREAD_LOCAL Worker* running_worker;
inline Worker* worker_of_running_block() { return running_worker; }

}  // namespace emulator
