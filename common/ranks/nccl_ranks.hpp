// SPDX-License-Identifier: MIT
// Ranks that mpirun or srun has started. MPI passes NCCL's id from rank to rank and gathers
// results; NCCL moves what lies on the GPUs. Without such a launcher there is one rank, and neither
// library is used.
#pragma once

#include <mpi.h>
#include <nccl.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "common/ranks/ranks.hpp"
#include "common/ranks/slice.hpp"
#include "common/ranks/watchdog.hpp"

namespace course {

// Throws a std::runtime_error, `file:line: function: NCCL's text`, unless `status` is ncclSuccess.
void nccl_check(ncclResult_t status, std::source_location where = std::source_location::current());

class NcclRanks final : public Ranks {
  public:
    NcclRanks();
    ~NcclRanks() override;

    // The ranks that run the stage's function, by its PhaseTimer. (A template: the harness includes
    // this folder, so this folder cannot include the harness.)
    template <typename Timer>
    static NcclRanks& of(const Timer& timer) {
        return dynamic_cast<NcclRanks&>(timer.backend().ranks());
    }

    int rank() const override { return rank_; }
    int count() const override { return count_; }
    std::string parameters() const override;
    int device(int first) const override;
    void begin_run() override;
    void end_run() override;
    void meet() const override;
    void take_largest(std::span<double> values) const override;
    bool speaks() const override { return speaks_; }
    std::string prefix() const override;
    bool must_end_all() const override;
    void end_all(int status, const std::string& message) const override;
    bool is_there_failure(bool failed) override;

    // All GPUs of the run; nullptr if there is one rank. The first call makes it, and all ranks
    // must make that call: it takes tenths of a second, so it belongs to the setup.
    ncclComm_t communicator();

    // Errors: UsageError if there are more ranks than the stage can have.
    void refuse_more_than(int most) const;

    // The elements of this rank, of n.
    Slice slice(std::int64_t n) const { return slice_of(n, rank_, count_); }

    // Rank 0 gets the elements of the other ranks, at their places. A rank has a slice of the
    // units, each of `unit` elements; the last unit may have fewer. `all` is host memory.
    template <typename T>
    void gather(std::span<T> all, std::int64_t unit = 1) const {
        const std::int64_t n = static_cast<std::int64_t>(all.size()), units = (n - 1) / unit + 1;
        std::vector<std::int64_t> begins(count_ + 1, n);
        for (int r = 0; r < count_; ++r) {
            begins[r] = std::min(slice_of(units, r, count_).begin * unit, n);
        }
        gather(all, begins);
    }

    // The same for parts of any lengths: rank r has the elements from begins[r] to begins[r + 1].
    template <typename T>
    void gather(std::span<T> all, std::span<const std::int64_t> begins) const {
        gather_bytes(reinterpret_cast<std::byte*>(all.data()), begins, sizeof(T));
    }

  private:
    std::string asynchronous_error() const;
    std::unique_ptr<Watchdog> make_watchdog() const;
    void gather_bytes(std::byte* all, std::span<const std::int64_t> begins,
                      std::int64_t element_bytes) const;

    int rank_ = 0;
    int count_ = 1;
    int on_host_ = 0;  // the number of this rank among those of its host
    bool uses_mpi_ = false;
    bool was_told_ = false;  // the ranks know of the last failure
    bool speaks_ = true;
    bool all_failed_ = false;
    bool may_abort_ = true;  // MPI allows calls of several threads
    int* claim_ = nullptr;  // shared by the ranks of a host: 1 once one of them prints a failure
    std::atomic<ncclComm_t> communicator_ = nullptr;  // the watchdog reads it, too
    std::unique_ptr<Watchdog> watchdog_;  // of several ranks; the last member: it uses the others
};

}  // namespace course
