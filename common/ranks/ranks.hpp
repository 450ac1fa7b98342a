// SPDX-License-Identifier: MIT
// The ranks of a run: its processes, one for each GPU. Most stages have one rank, which this class
// is. A stage for many GPUs links nccl_ranks.hpp, whose ranks mpirun or srun starts.
#pragma once

#include <exception>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

namespace course {

// Another rank has failed, and says why.
class OtherRankError : public std::runtime_error {
  public:
    OtherRankError() : std::runtime_error("another rank has failed") {}
};

class Ranks {
  public:
    Ranks() = default;
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;
    virtual ~Ranks() = default;

    virtual int rank() const { return 0; }  // of this process, from 0
    virtual int count() const { return 1; }
    // Rank 0 prints, writes files and verifies. All ranks have the whole input.
    bool is_first() const { return rank() == 0; }

    // For the rows: "ranks=4". Empty for a stage that has one rank by nature.
    virtual std::string parameters() const { return ""; }

    // The number of this rank's device, if the first rank of each host has number `first`. Errors:
    // UsageError if the host has fewer devices than ranks.
    virtual int device(int first) const { return first; }

    // Around each call of a stage's function. The first lets all ranks begin at one time. The
    // second waits until all have ended, so that a rank which has left out an operation is found.
    virtual void begin_run() {}
    virtual void end_run() {}

    // Before the kernels are timed: waits until all ranks are there. Otherwise a rank that waits
    // for data would be timed with how much longer another one has copied its input. Each rank must
    // come equally often.
    virtual void meet() const {}

    // Each value becomes the largest of all ranks.
    virtual void take_largest(std::span<double>) const {}

    // Calls the action, which must need no other rank, and waits until all ranks have done so.
    // Throws what it throws; if only other ranks fail, an OtherRankError.
    template <typename Action>
    void together(const Action& action) {
        std::exception_ptr error;
        try {
            action();
        } catch (...) {
            error = std::current_exception();
        }
        const bool some_failed = is_there_failure(error != nullptr);
        if (error) std::rethrow_exception(error);
        if (some_failed) throw OtherRankError();
    }

    // After an error has left together(): whether this rank is the one that prints it.
    virtual bool speaks() const { return true; }
    // "rank 2 of 4: ", if a message must say which rank has failed.
    virtual std::string prefix() const { return ""; }
    // An error that did not leave together(): the others may wait for this rank, so all end now.
    // One of the ranks prints, if several fail.
    virtual bool must_end_all() const { return false; }
    virtual void end_all(int /*status*/, const std::string& /*message*/) const {}

    // Of together(): whether a rank has failed, asked by all of them.
    virtual bool is_there_failure(bool failed) { return failed; }
};

// The ranks that are linked in. Errors: std::runtime_error if MPI cannot start.
std::unique_ptr<Ranks> open_ranks();

}  // namespace course
