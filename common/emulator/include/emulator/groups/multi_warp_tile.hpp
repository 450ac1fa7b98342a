// SPDX-License-Identifier: MIT
// What tiles of several warps are made of: a barrier for each tile of a block, and a word for each
// warp through which values travel. On a GPU, too, these lie in shared memory.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <emulator/async/mbarrier.hpp>
#include <emulator/groups/lane_group.hpp>

namespace emulator {

// One word per warp, then a barrier for each tile of 64, 128, 256, 512 and 1024 threads. The first
// thread that comes to a barrier sets it up: shared memory holds none when a block begins.
template <class Word>
__forceinline__ Word* tile_words() {
    __shared__ Word words[32 + 31];
    return words;
}

// A tile of `size` threads, a power of two above 32, whose threads have consecutive ranks.
class MultiWarpTile {
  public:
    EMULATOR_UNRECORDED explicit MultiWarpTile(unsigned int size) : size_(size) {
        const unsigned int tile = linear_thread_index() / size;
        first_ = tile * size;
        // The barriers of tiles of 1024 threads come first, then those of 512 and so on.
        barrier_ = tile_words<std::uint64_t>() + 32 + (1024 / size - 1) + tile;
    }

    EMULATOR_UNRECORDED unsigned int rank() const { return linear_thread_index() - first_; }
    // The last tile of a block may have fewer threads.
    EMULATOR_UNRECORDED unsigned int count() const {
        return std::min(size_, threads_in_block() - first_);
    }

    __forceinline__ void synchronize() const {
        barrier_prepare(barrier_, count());
        barrier_wait(barrier_, parity_of(barrier_arrive(barrier_, 1)));
    }

    // The value of the tile's thread of that rank. Every thread of the tile calls it.
    template <class T>
    __forceinline__ T value_from(T value, unsigned int source_rank) const {
        std::uint64_t words[(sizeof(T) + 7) / 8] = {};
        __builtin_memcpy(words, static_cast<const void*>(&value), sizeof(T));
        std::uint64_t* const shared = tile_words<std::uint64_t>() + first_ / 32;
        for (std::uint64_t& word : words) {
            if (rank() == source_rank) *shared = word;
            synchronize();
            word = *shared;
            synchronize();  // before the next value overwrites this one
        }
        __builtin_memcpy(static_cast<void*>(&value), words, sizeof(T));
        return value;
    }

    // Whether some thread's predicate is not 0.
    __forceinline__ bool any(int predicate) const {
        const std::uint32_t votes = __ballot_sync(0xffffffffu, predicate);
        std::uint64_t* const shared = tile_words<std::uint64_t>() + first_ / 32;
        if (lane_index() == 0) shared[rank() / 32] = votes;
        synchronize();
        std::uint64_t all_votes = 0;
        for (unsigned int warp = 0; warp * 32 < count(); ++warp) all_votes |= shared[warp];
        synchronize();
        return all_votes != 0;
    }

  private:
    unsigned int size_;
    unsigned int first_;
    std::uint64_t* barrier_;
};

}  // namespace emulator
