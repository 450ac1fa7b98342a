// SPDX-License-Identifier: MIT
// What is ordered before what: the barriers of a block and of a grid, __syncwarp(), and fences with
// atomic operations. CUDA C++ Programming Guide, "Memory Fence Functions" and "Synchronization
// Functions". Where it keeps less than all, it errs on the side of "ordered".
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "common/emulator/counting/shadow.hpp"

namespace emulator::counting {

// A block that runs or has run in a grid that has not ended.
using BlockId = std::uint32_t;

// What a warp did since the last barrier that orders: masks of __syncwarp(), 0 for a fence. A stamp
// is a position in it.
class WarpHistory {
  public:
    void clear() {
        masks_.clear();
        last_synced_ = 0;
    }
    std::uint32_t stamp() const {
        return std::min<std::uint32_t>(static_cast<std::uint32_t>(masks_.size()),
                                       Access::kMaxStamp);
    }
    // The stamp behind the last __syncwarp() of any mask; 0 for none.
    std::uint32_t last_synced() const { return last_synced_; }
    void add_sync(std::uint32_t mask);
    void add_fence();
    // Whether what `lane` did at `stamp` is ordered before what `later` does now.
    bool orders(int lane, std::uint32_t stamp, int later) const;

  private:
    bool is_full() const { return masks_.size() >= Access::kMaxStamp; }

    std::vector<std::uint32_t> masks_;
    std::uint32_t last_synced_ = 0;
};

// A point in a thread's course.
struct Point {
    Interval interval;
    int thread;
    std::uint32_t stamp;
};

// Fences, and the strong accesses (atomic or volatile) by which one thread tells another.
class FenceOrder {
  public:
    void clear();
    // Nothing is recorded before the first fence, nor costs anything.
    bool in_use() const { return !fences_.empty(); }

    void fence(BlockId block, const Point& point, std::uint32_t lanes, std::uint32_t last_synced,
               bool of_device);
    void strong_access(BlockId block, const Point& point, std::uint32_t last_synced,
                       std::uintptr_t word, bool acquires, bool releases);
    // Whether the access of `block` is ordered before what `reader` of `reader_block` does now.
    bool orders(BlockId block, const Access& access, BlockId reader_block, const Point& reader,
                std::uint32_t last_synced) const;

  private:
    struct Fence {
        Interval interval;
        int warp;
        std::uint32_t lanes;
        std::uint32_t stamp;
        std::uint32_t last_synced;
        bool of_device;
    };
    struct Release {
        BlockId block;
        Point point;
        std::uint32_t last_synced;
        std::uint32_t fences;  // that the block had made
        std::uint32_t acquires;
        std::int64_t previous;  // of the same block at this word; -1: none
    };
    struct Word {
        std::vector<Release> releases;
        std::unordered_map<BlockId, std::int64_t> last_of_block;
    };
    struct Acquire {
        const Word* word;
        std::size_t releases;  // that the word had seen
        Point point;
    };

    bool covers(const Release& release, const Access& access, bool same_block) const;
    bool reaches(const Word& word, std::size_t releases, BlockId block, const Access& access,
                 bool same_block) const;

    std::unordered_map<BlockId, std::vector<Fence>> fences_;
    std::unordered_map<BlockId, std::vector<Acquire>> acquires_;
    std::unordered_map<std::uintptr_t, Word> words_;
};

}  // namespace emulator::counting
