// SPDX-License-Identifier: MIT
// A notice board of the ranks of one host, in memory that they share: each writes what it waits
// for. So a rank can tell that all of them wait for ever, and one of them alone reports it.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <string>

namespace emulator::nccl {

class Board {
  public:
    // All ranks of the communicator call it. It lives until the process ends, because others may
    // still read it.
    Board(MPI_Comm communicator, int rank, int size);

    // Waits until `is_done` returns true. Returns false, and reports why, if all ranks wait and
    // nothing happens any more, if it takes too long, or if another rank has reported something.
    bool wait(const std::string& what, const std::function<bool()>& is_done);

    // This rank takes no part any more. `what` says why.
    void leave(const std::string& what);

    // One of the ranks explains the text; the others return when it has done so.
    void report(const std::string& text);

  private:
    struct Shared;
    struct Slot;

    bool has_been_reported() const;
    // What each rank waits for; empty if one of them does not wait.
    std::string all_that_wait() const;
    std::uint64_t all_progress() const;

    Shared* shared_ = nullptr;  // nullptr: the ranks are on several hosts
    Slot* slots_ = nullptr;
    int rank_;
    int size_;
};

}  // namespace emulator::nccl
