// SPDX-License-Identifier: MIT
// Ends a block that uses too much processor time: an endless kernel is an error, not a hang.
#pragma once

namespace emulator {

struct WatchedThread;

// Runs in the signal handler of a thread whose block has used up its time. `in_program`: the block
// was interrupted in the program's own code, not in a library, which may hold a lock. If the
// handler returns, it is called again soon.
using TimeHandler = void (*)(bool in_program);

// Installs the handler, once for the process.
void install_time_handler(TimeHandler handler);

// While it lives, the calling OS thread runs one block, for at most settings().time_limit seconds.
class BlockWatch {
  public:
    BlockWatch();
    ~BlockWatch();
    BlockWatch(const BlockWatch&) = delete;
    BlockWatch& operator=(const BlockWatch&) = delete;

  private:
    WatchedThread* thread_;
};

}  // namespace emulator
