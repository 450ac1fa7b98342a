// SPDX-License-Identifier: MIT
#include "common/emulator/libraries/nccl/board.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

#include "common/emulator/process/errors.hpp"
#include "common/emulator/process/settings.hpp"
#include "common/emulator/process/time_limit.hpp"

namespace emulator::nccl {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// If no rank of a host has made progress for so long while all wait, they wait for one another. A
// rank whose turn on a busy machine has not come needs less.
constexpr Seconds kStuckAfter(3);
// How long a rank waits for the one that reports.
constexpr Seconds kReportTakes(2);

enum State : std::uint32_t { kRuns, kWaits, kHasLeft };
enum Report : std::uint32_t { kNone, kBegun, kDone };

}  // namespace

struct Board::Shared {
    std::atomic<std::uint32_t> report;
};

struct Board::Slot {
    std::atomic<std::uint32_t> state;
    std::atomic<std::uint64_t> progress;  // counts what it has waited for
    char what[240];  // is written before the state changes to kWaits
};

Board::Board(MPI_Comm communicator, int rank, int size) : rank_(rank), size_(size) {
    MPI_Comm host;
    MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);
    int on_host = 0;
    MPI_Comm_size(host, &on_host);
    int is_one_host = on_host == size ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &is_one_host, 1, MPI_INT, MPI_MIN, communicator);
    if (is_one_host == 0) return;
    // The first rank's part holds all. New shared memory is zero, as the states at the beginning.
    const std::size_t bytes = sizeof(Shared) + static_cast<std::size_t>(size) * sizeof(Slot);
    void* memory = nullptr;
    MPI_Win window;
    MPI_Win_allocate_shared(rank == 0 ? static_cast<MPI_Aint>(bytes) : 0, 1, MPI_INFO_NULL, host,
                            &memory, &window);
    MPI_Aint found = 0;
    int unit = 0;
    MPI_Win_shared_query(window, 0, &found, &unit, &memory);
    if (rank == 0) std::fill_n(static_cast<char*>(memory), bytes, '\0');
    MPI_Barrier(host);
    shared_ = static_cast<Shared*>(memory);
    slots_ = reinterpret_cast<Slot*>(shared_ + 1);
}

bool Board::has_been_reported() const { return shared_ != nullptr && shared_->report == kDone; }

std::string Board::all_that_wait() const {
    std::string text;
    for (int rank = 0; shared_ != nullptr && rank < size_; ++rank) {
        if (slots_[rank].state == kRuns) return "";
        text += (rank == 0 ? "rank " : "; rank ") + std::to_string(rank) + ": " + slots_[rank].what;
    }
    return text;
}

std::uint64_t Board::all_progress() const {
    std::uint64_t sum = 0;
    for (int rank = 0; shared_ != nullptr && rank < size_; ++rank) sum += slots_[rank].progress;
    return sum;
}

bool Board::wait(const std::string& what, const std::function<bool()>& is_done) {
    if (is_done()) return true;
    Slot* const own = shared_ != nullptr ? &slots_[rank_] : nullptr;
    if (own != nullptr) {
        std::snprintf(own->what, sizeof own->what, "%s", what.c_str());
        own->state = kWaits;
    }
    const double limit = settings().time_limit * kLaunchTimeFactor;  // 0: none
    const auto begin = Clock::now();
    auto still_since = begin;
    std::uint64_t seen = all_progress();
    for (int round = 0; !is_done(); ++round) {
        if (round < 200) {
            std::this_thread::yield();
            continue;
        }
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        if (has_been_reported()) return false;
        const auto now = Clock::now();
        const std::uint64_t progress = all_progress();
        const std::string stuck = all_that_wait();
        if (stuck.empty() || progress != seen) still_since = now;
        seen = progress;
        if (now - still_since > kStuckAfter) {
            report("all ranks wait for one another: " + stuck);
            return false;
        }
        if (limit > 0 && Seconds(now - begin).count() > limit) {
            report("rank " + std::to_string(rank_) + " has waited for " +
                   std::to_string(static_cast<int>(limit)) + " s: " + what +
                   ": does every rank call it? EMULATOR_TIME_LIMIT=SECONDS allows ten times as "
                   "many seconds");
            return false;
        }
    }
    if (own != nullptr) {
        ++own->progress;
        own->state = kRuns;
    }
    return true;
}

void Board::leave(const std::string& what) {
    if (shared_ == nullptr) return;
    std::snprintf(slots_[rank_].what, sizeof slots_[rank_].what, "%s", what.c_str());
    slots_[rank_].state = kHasLeft;
}

void Board::report(const std::string& text) {
    std::uint32_t none = kNone;
    if (shared_ == nullptr || shared_->report.compare_exchange_strong(none, kBegun)) {
        explain("%s", text.c_str());
        if (shared_ != nullptr) shared_->report = kDone;
        return;
    }
    const auto begin = Clock::now();
    while (!has_been_reported() && Clock::now() - begin < kReportTakes) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

}  // namespace emulator::nccl
