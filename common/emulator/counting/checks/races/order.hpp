// SPDX-License-Identifier: MIT
// Which accesses are ordered: by barriers of a block or of a grid, by __syncwarp(), and by fences
// with atomic operations. CUDA C++ Programming Guide, "Memory Fence Functions" and "Synchronization
// Functions". If something was not kept, the answer is "ordered".
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "common/emulator/counting/checks/memory/shadow.hpp"

namespace emulator::counting {

// A block of a grid that has not ended. It may have ended itself.
using BlockId = std::uint32_t;

// What a warp did since the block's last barrier: the masks of its __syncwarp()s, and 0 for each
// fence. A stamp is a position in this list.
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
    // The stamp after the last __syncwarp() of any mask; 0 if there was none.
    std::uint32_t last_synced() const { return last_synced_; }
    void add_sync(std::uint32_t mask);
    void add_fence();
    // Whether an access of `lane` at `stamp` is ordered before an access of the lane `later` now.
    bool orders(int lane, std::uint32_t stamp, int later) const;
    // By lane: its accesses with smaller stamps are ordered before what `lane` does now.
    void known_to(int lane, std::array<std::uint32_t, kWarpSize>& stamps) const;

  private:
    bool is_full() const { return masks_.size() >= Access::kMaxStamp; }

    std::vector<std::uint32_t> masks_;
    std::uint32_t last_synced_ = 0;
};

// A point in the execution of a thread.
struct Point {
    Interval interval;
    int thread;
    std::uint32_t stamp;
};

// fence.proxy.async: makes earlier writes to shared memory visible to bulk copies. PTX ISA, "Memory
// Consistency Model: Causality order": such a fence must lie on the path from the write to the
// copy, whichever thread executes it.
class ProxyFences {
  public:
    void clear() { last_.clear(); }
    void note(const Point& point);
    // Whether a fence follows the write, by the writer itself, by `copier`, or by any thread in
    // another interval than the write's.
    bool cover(const Access& write, int copier) const;

  private:
    std::vector<Point> last_;  // by thread; interval 0: none
    Interval last_interval_ = 0;
};

// Fences, and the strong accesses (atomic or volatile) by which one thread signals to another.
class FenceOrder {
  public:
    void clear();
    // Before the first fence nothing is recorded, and nothing costs time.
    bool in_use() const { return !fences_.empty(); }
    bool used_by(BlockId block) const { return fences_.contains(block); }

    void fence(BlockId block, const Point& point, std::uint32_t lanes, std::uint32_t last_synced,
               bool of_device);
    void strong_access(BlockId block, const Point& point, std::uint32_t last_synced,
                       std::uintptr_t word, bool acquires, bool releases);
    // Whether the access of `block` is ordered before an access of `reader` in `reader_block` now.
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
        std::uint32_t fences;  // of the block until then
        std::uint32_t acquires;
        std::int64_t previous;  // of the same block at this word; -1: none
    };
    struct Word {
        std::vector<Release> releases;
        std::unordered_map<BlockId, std::int64_t> last_of_block;
    };
    struct Acquire {
        const Word* word;
        std::size_t releases;  // of the word until then
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
