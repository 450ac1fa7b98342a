// SPDX-License-Identifier: MIT
// Ends a block that uses too much processor time: an endless kernel is an error, not a hang.
#pragma once

namespace emulator {

struct WatchedThread;

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
