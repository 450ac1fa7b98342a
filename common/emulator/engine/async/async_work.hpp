// SPDX-License-Identifier: MIT
// What the threads of a block have asked for and have not waited for: asynchronous copies, and the
// phases of mbarriers.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <emulator/async/async_copies.hpp>
#include <emulator/thread.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/emulator/engine/async/tensor_box.hpp"

namespace emulator {

enum class CopySort : std::uint8_t {
    plain,  // cp.async
    bulk_load,
    bulk_store,
    bulk_read,  // of a wait: only the sources of bulk stores
    product,  // of a warpgroup (wgmma), which reads shared memory
};

// What a product reads.
struct OperandPart {
    const char* address;
    std::uint32_t bytes;
};

struct AsyncCopy {
    char* destination;
    const char* source;
    std::uint32_t bytes;
    std::uint32_t read_bytes;  // of the source; the rest becomes zero
    BulkOperation operation = BulkOperation::copy;
    BulkElement element = BulkElement::bytes;
    bool at_once = false;  // the data have arrived already
    std::unique_ptr<char[]> read = nullptr;  // the source's data, once they were read
    // Of a tensor copy. The side in shared memory is as above; the other one is not used.
    std::shared_ptr<const TensorBox> box = nullptr;
    // Of a product: it happens in place of the copy. An observer gets the operands.
    std::function<void()> compute = nullptr;
    std::vector<OperandPart> operands = {};
};

// One thread's copies of one sort, in the order in which it issued them. Copies are numbered from 0
// in each block.
class CopyQueue {
  public:
    std::uint64_t issue(AsyncCopy copy);
    std::uint64_t issued() const { return first_ + copies_.size(); }
    void commit() { group_ends_.push_back({issued()}); }
    // The number of copies in all groups except the `left` latest ones.
    std::uint64_t end_of_groups(unsigned left) const;
    // The copies before `end` arrive; of the rest nothing is known.
    void complete(std::uint64_t end);
    // The sources of the copies before `end` are read.
    void read_sources(std::uint64_t end);
    // What was read arrives at the end of the block at the latest.
    void complete_read();
    void clear();

  private:
    struct GroupEnd {
        std::uint64_t end;
    };

    std::vector<AsyncCopy> copies_;  // those that have not arrived, from number first_ on
    std::vector<GroupEnd> group_ends_;
    std::uint64_t first_ = 0;
};

// Work whose end an mbarrier waits for.
struct TrackedWork {
    std::uint64_t* barrier;
    int thread;  // that issued it
    // Of arrive_after_copies(): the number of copies. Of a bulk load: its number in the block.
    std::uint64_t number;
    bool is_bulk;
    AsyncCopy copy;  // of a bulk load
};

// Work that has ended with the phase of an mbarrier; see TrackedWork.
struct EndedWork {
    int thread;
    std::uint64_t number;
    bool is_bulk;
};

// A thread that waits for the end of a phase.
struct PhaseWaiter {
    std::uint16_t thread;
    bool parity;
    std::uint64_t* barrier;
    const void* code;  // of the wait
    bool polls;  // it goes on, without success, when no thread can
};

// The barrier of a PhaseWaiter that waits until all warps of its group have issued a product.
extern std::uint64_t product_of_all_warps;

// The last phase of an mbarrier that has ended. Phases are numbered from 1 in each block.
struct EndedPhase {
    std::uint64_t* barrier;
    std::uint64_t number;
};

// The named barriers of a block, once it has used one.
struct NamedBarriers {
    const std::uint64_t* words = nullptr;  // one for each
    // Who has arrived in the running phase.
    std::array<std::bitset<kMaxThreadsPerBlock>, kNamedBarriers> arrived;
};

// A warp's products.
struct ArrivedSum {
    const float* place;
    std::uint32_t bits;
};
struct WarpProducts {
    CopyQueue queue;
    std::uint64_t issued = 0;  // products that an observer knows of, too
    bool is_fenced = false;  // since the last wait
    std::vector<ArrivedSum> arrived;  // of the last product, in the order of the lanes
};

// Per worker. It is empty at the begin of each block.
struct AsyncWork {
    std::vector<CopyQueue> copies;  // by thread
    std::vector<CopyQueue> bulk_stores;  // by thread
    std::vector<WarpProducts> products;  // by warp
    std::vector<TrackedWork> tracked;
    std::vector<PhaseWaiter> waiters;
    int fruitless_rounds = 0;  // of threads that poll
    NamedBarriers named;
    std::vector<EndedPhase> phases;
    std::vector<EndedWork> ended;  // with the running phase, until it ends
    std::uint64_t bulk_loads = 0;
    std::uint64_t phase_count = 0;
    std::uint64_t choices = 0;  // by the shuffled schedule

    explicit AsyncWork(int threads);
    // Whether the schedule lets the next copy arrive at its issue.
    bool next_is_at_once();
    // The block of so many threads has ended. What its bulk stores have read arrives; then nothing
    // is left.
    void finish_block(int threads);
    std::uint64_t last_phase(const std::uint64_t* barrier) const;  // 0: none
};

// Of the state of an mbarrier: the bytes that bulk copies have still to bring; where they lie in
// it.
constexpr int kTransactionShift = 40;
constexpr std::uint64_t kTransactionMask = (1u << 21) - 1;
std::int64_t transactions_of(std::uint64_t state);

// "at an mbarrier whose phase lacks 32 arrivals and 64 bytes". nullptr: the thread waits for
// another object.
std::string describe_wait(const AsyncWork& work, const std::uint64_t* barrier);
// The number of a named barrier; -1: it is an mbarrier.
int named_barrier_of(const AsyncWork& work, const std::uint64_t* barrier);

// Moves the data of a copy whose source has not been read yet.
void move_data(const AsyncCopy& copy);

}  // namespace emulator
