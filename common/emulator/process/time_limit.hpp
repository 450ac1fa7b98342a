// SPDX-License-Identifier: MIT
// Ends what uses too much processor time: an endless kernel is an error, not a hang. A block may
// use settings().time_limit seconds. The grids that device code launches because of one launch by
// the host, and all kernels of the program, may use a multiple of that.
#pragma once

#include <cstdint>
#include <string>

namespace emulator {

struct WatchedThread;

// Grids that launch grids for ever have no endless block.
constexpr int kLaunchTimeFactor = 10;
constexpr int kProgramTimeFactor = 60;

// Runs in the signal handler of a thread whose block has used up its time.
// `in_program`: the block was interrupted in the program's own code, not in a library, which may
// hold a lock. If the handler returns, it is called again soon.
using TimeHandler = void (*)(bool in_program);

// Installs the handler, once for the process.
void install_time_handler(TimeHandler handler);

// While it lives, the calling OS thread runs one block.
class BlockWatch {
  public:
    BlockWatch();
    ~BlockWatch();
    BlockWatch(const BlockWatch&) = delete;
    BlockWatch& operator=(const BlockWatch&) = delete;

  private:
    WatchedThread* thread_;
};

// Whether the running block's time was up while it was in a library, or uninterruptible.
bool block_is_overdue();

// While it lives, the calling OS thread works for a launch by the host. `launch` is its number,
// which is not 0. `by_device`: on a grid that device code has launched. Time in which several
// threads work counts once.
class LaunchWatch {
  public:
    LaunchWatch(std::uint64_t launch, bool by_device);
    ~LaunchWatch();
    LaunchWatch(const LaunchWatch&) = delete;
    LaunchWatch& operator=(const LaunchWatch&) = delete;

  private:
    WatchedThread* thread_;
    std::uint64_t outer_ = 0;
};

// Whether the grids that device code has launched because of this launch have used up their time,
// or the program has. To be asked before each block, because no signal ends these.
bool launch_is_overdue(std::uint64_t launch, bool by_device);
// What has run too long, and how to allow more: the end of a message.
std::string describe_overdue_block();
std::string describe_overdue_launch();

// While it lives, the handler is not called in this OS thread: it would leave a lock locked, or
// data of the engine half changed.
class Uninterruptible {
  public:
    Uninterruptible();
    ~Uninterruptible();
    Uninterruptible(const Uninterruptible&) = delete;
    Uninterruptible& operator=(const Uninterruptible&) = delete;
};

}  // namespace emulator
