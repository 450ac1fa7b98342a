// SPDX-License-Identifier: MIT
// What the checks remember of each word of memory: its last writer and two readers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/emulator/counting/record/request.hpp"

namespace emulator::counting {

// An interval is the part of a block between two of its barriers. The intervals of the program are
// numbered from 1; 0 is none.
using Interval = std::uint32_t;

// One access, in 8 bytes: thread in the block (10 bits), stamp in the history of its warp (14),
// bytes of the word (4), flags (4).
struct Access {
    static constexpr std::uint32_t kAtomic = 1;
    static constexpr std::uint32_t kVolatile = 2;
    static constexpr std::uint32_t kUpdatedUnwritten = 4;  // an atomic read an unwritten word
    // Not an atomic: a copy that an mbarrier tracks. Even its own thread must wait for the phase.
    static constexpr std::uint32_t kTracked = 4;
    static constexpr std::uint32_t kAsyncProxy = 8;  // a bulk copy wrote it
    // Of a volatile access: the load or store of an atomic object.
    static constexpr std::uint32_t kAtomicObject = 8;
    static constexpr std::uint32_t kMaxStamp = (1u << 14) - 1;

    Interval interval;
    std::uint32_t bits;

    static constexpr std::uint32_t pack(int thread, std::uint32_t stamp, std::uint32_t bytes,
                                        std::uint32_t flags) {
        return static_cast<std::uint32_t>(thread) << 22 | stamp << 8 | bytes << 4 | flags;
    }
    int thread() const { return static_cast<int>(bits >> 22); }
    int warp() const { return thread() / kWarpSize; }
    std::uint32_t stamp() const { return bits >> 8 & kMaxStamp; }
    std::uint32_t bytes() const { return bits >> 4 & 0xf; }
    bool is_strong() const { return (bits & (kAtomic | kVolatile)) != 0; }
    bool is_volatile() const { return (bits & (kAtomic | kVolatile | kAtomicObject)) == kVolatile; }
    bool is_atomic() const { return (bits & kAtomic) != 0; }
    bool by_async_proxy() const { return (bits & (kVolatile | kAsyncProxy)) == kAsyncProxy; }
    bool updated_unwritten() const { return is_atomic() && (bits & kUpdatedUnwritten) != 0; }
    bool is_tracked_copy() const { return !is_atomic() && (bits & kTracked) != 0; }
};

// 32 bytes: two cells per cache line. The two readers are different threads, so that a later writer
// differs from at least one of them.
struct Cell {
    Access write;
    Access read;
    Access other_read;
    PlaceId write_place;
    PlaceId read_place;
    PlaceId other_place;
    std::uint16_t value;  // hash of what was written
};
static_assert(sizeof(Cell) == 32);

// Cells for a range of memory, committed as they are touched.
class Shadow {
  public:
    Shadow() = default;
    ~Shadow();
    Shadow(const Shadow&) = delete;
    Shadow& operator=(const Shadow&) = delete;

    // Throws std::bad_alloc.
    void cover(std::uintptr_t begin, std::size_t bytes);
    bool covers(std::uintptr_t address) const { return address - begin_ < bytes_; }
    Cell* cell(std::uintptr_t address) const { return cells_ + ((address >> 2) - first_word_); }
    // Gives the cells of a range back to the system.
    void forget(std::uintptr_t begin, std::size_t bytes);

  private:
    std::size_t mapped_bytes() const;

    Cell* cells_ = nullptr;
    std::uintptr_t begin_ = 0;
    std::size_t bytes_ = 0;
    std::uintptr_t first_word_ = 0;
};

}  // namespace emulator::counting
