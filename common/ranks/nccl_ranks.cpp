// SPDX-License-Identifier: MIT
#include "common/ranks/nccl_ranks.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/cuda/cuda_check.hpp"

namespace course {
namespace {

// After an error of NCCL, what the run itself says of it is better.
constexpr Watchdog::Seconds kPatience(3);

// Open MPI, Slurm's PMIx and PMI-2, and MPICH tell their processes this.
bool was_launched() {
    if (const char* const size = std::getenv("OMPI_COMM_WORLD_SIZE")) {
        return std::strcmp(size, "1") != 0;
    }
    return std::getenv("PMIX_RANK") != nullptr || std::getenv("PMI_RANK") != nullptr;
}

}  // namespace

void nccl_check(ncclResult_t status, std::source_location where) {
    if (status == ncclSuccess) return;
    const char* const last = ncclGetLastError(nullptr);
    throw std::runtime_error(text(where.file_name(), ":", where.line(), ": ", where.function_name(),
                                  ": ", ncclGetErrorString(status),
                                  last != nullptr && *last != '\0' ? text(": ", last) : ""));
}

NcclRanks::NcclRanks() : uses_mpi_(was_launched()) {
    if (!uses_mpi_) return;
    int threads = 0;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &threads) != MPI_SUCCESS) {
        throw std::runtime_error("MPI does not start");
    }
    may_abort_ = threads == MPI_THREAD_MULTIPLE;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &count_);
    MPI_Comm host;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &on_host_);
    MPI_Win window;
    MPI_Win_allocate_shared(on_host_ == 0 ? sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, host,
                            &claim_, &window);
    MPI_Aint bytes = 0;
    int unit = 0;
    MPI_Win_shared_query(window, 0, &bytes, &unit, &claim_);
    if (on_host_ == 0) *claim_ = 0;
    MPI_Barrier(host);
}

NcclRanks::~NcclRanks() {
    watchdog_.reset();
    if (communicator_ != nullptr) ncclCommDestroy(communicator_);
    if (uses_mpi_) MPI_Finalize();
}

std::string NcclRanks::parameters() const { return text("ranks=", count_); }

int NcclRanks::device(int first) const {
    int devices = 0;
    // Without a driver: whoever opens the device says so.
    if (cudaGetDeviceCount(&devices) != cudaSuccess) return first;
    // A rank with one device has its own: srun --gpus-per-task=1 gave it, or the CPU engine.
    if (count_ == 1 || devices == 1) return first;
    if (first + on_host_ >= devices) {
        throw UsageError(text("there are more ranks than devices: this host has ", devices,
                              first > 0 ? text(", and --device leaves out ", first) : ""));
    }
    return first + on_host_;
}

ncclComm_t NcclRanks::communicator() {
    if (count_ == 1 || communicator_ != nullptr) return communicator_;
    ncclUniqueId id{};
    if (rank_ == 0) nccl_check(ncclGetUniqueId(&id));
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    ncclComm_t made = nullptr;
    nccl_check(ncclCommInitRank(&made, count_, id, rank_));
    communicator_ = made;
    return communicator_;
}

// What NCCL has found without a call that could return it: a lost link, or a rank that has gone.
std::string NcclRanks::asynchronous_error() const {
    ncclResult_t found = ncclSuccess;
    const ncclComm_t communicator = communicator_;
    if (communicator == nullptr) return "";
    if (ncclCommGetAsyncError(communicator, &found) != ncclSuccess) return "";
    if (found == ncclSuccess || found == ncclInProgress) return "";
    return text("NCCL: ", ncclGetErrorString(found));
}

void NcclRanks::refuse_more_than(int most) const {
    if (count_ > most) throw UsageError(text("this stage runs on at most ", most, " ranks"));
}

std::unique_ptr<Watchdog> NcclRanks::make_watchdog() const {
    return std::make_unique<Watchdog>(
        ranks_time_limit(std::getenv("RANKS_TIME_LIMIT")), kPatience,
        [this] { return asynchronous_error(); },
        [this](const std::string& why) {
            end_all(kExitFailure, text("rank ", rank_, " of ", count_, ": ", why));
        });
}

void NcclRanks::begin_run() {
    was_told_ = false;
    if (count_ == 1) return;
    if (!watchdog_) watchdog_ = make_watchdog();
    MPI_Barrier(MPI_COMM_WORLD);
    watchdog_->begin();
}

// By an operation on nothing, which costs nothing. On the CPU engine, a rank that waits in another
// operation meets this one: the two do not match.
void NcclRanks::end_run() {
    if (count_ == 1) return;
    if (communicator_ != nullptr) {
        nccl_check(ncclAllReduce(nullptr, nullptr, 0, ncclInt8, ncclMin, communicator_, nullptr));
        cuda_check(cudaDeviceSynchronize());
    }
    watchdog_->end();
}

void NcclRanks::meet() const {
    if (count_ > 1) MPI_Barrier(MPI_COMM_WORLD);
}

void NcclRanks::take_largest(std::span<double> values) const {
    if (count_ == 1) return;
    MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX,
                  MPI_COMM_WORLD);
}

bool NcclRanks::is_there_failure(bool failed) {
    if (count_ == 1) return failed;  // the only rank speaks of every failure
    int first = failed ? rank_ : count_;
    int failures = failed ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    was_told_ = failures > 0;
    speaks_ = first == rank_;
    all_failed_ = failures == count_;
    return failures > 0;
}

std::string NcclRanks::prefix() const {
    const bool is_told_by_all = was_told_ && all_failed_;
    return count_ == 1 || is_told_by_all ? "" : text("rank ", rank_, " of ", count_, ": ");
}

bool NcclRanks::must_end_all() const { return count_ > 1 && !was_told_; }

void NcclRanks::end_all(int status, const std::string& message) const {
    if (std::atomic_ref(*claim_).exchange(1) == 0) {
        std::fprintf(stderr, "%s\n", message.c_str());
        std::fflush(stderr);
    } else {
        // The other rank's message comes first, and its end ends this one.
        std::this_thread::sleep_for(std::chrono::seconds(2));
    }
    if (!may_abort_) std::_Exit(status);  // the launcher ends the others
    MPI_Abort(MPI_COMM_WORLD, status);
}

void NcclRanks::gather_bytes(std::byte* all, std::span<const std::int64_t> begins,
                             std::int64_t element_bytes) const {
    constexpr std::int64_t kMostBytes = 1 << 30;  // of one message: MPI counts with an int
    const auto for_each_part = [&](int rank, auto&& action) {
        const std::int64_t end = begins[rank + 1] * element_bytes;
        for (std::int64_t from = begins[rank] * element_bytes; from < end; from += kMostBytes) {
            action(all + from, static_cast<int>(std::min(kMostBytes, end - from)));
        }
    };
    if (rank_ > 0) {
        for_each_part(rank_, [](std::byte* part, int size) {
            MPI_Send(part, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        });
    }
    for (int from = 1; rank_ == 0 && from < count_; ++from) {
        for_each_part(from, [from](std::byte* part, int size) {
            MPI_Recv(part, size, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        });
    }
}

std::unique_ptr<Ranks> open_ranks() { return std::make_unique<NcclRanks>(); }

}  // namespace course
