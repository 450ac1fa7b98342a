// SPDX-License-Identifier: MIT
// A set of lanes of one warp that act together: what tiles and coalesced groups are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <emulator/device_functions.hpp>

namespace emulator {

// The lane of a mask's n-th set bit, counted from 0; 32 when it has no more bits.
inline int nth_lane(std::uint32_t mask, unsigned int n) {
    for (; n > 0 && mask != 0; --n) mask &= mask - 1;
    return mask == 0 ? kWarpSize : std::countr_zero(mask);
}

// The bits of `lanes` at the positions of `mask`, packed to the right: lane masks become rank
// masks.
inline std::uint32_t pack_lanes(std::uint32_t lanes, std::uint32_t mask) {
    std::uint32_t packed = 0;
    for (int rank = 0; mask != 0; mask &= mask - 1, ++rank) {
        packed |= (lanes >> std::countr_zero(mask) & 1u) << rank;
    }
    return packed;
}

EMULATOR_UNRECORDED inline unsigned int linear_thread_index() {
    return current_thread->linear_index;
}
inline unsigned int threads_in_block() { return blockDim.x * blockDim.y * blockDim.z; }

class LaneGroup {
  public:
    explicit LaneGroup(std::uint32_t mask)
        : mask_(mask),
          first_(static_cast<unsigned int>(std::countr_zero(mask))),
          count_(static_cast<unsigned int>(std::popcount(mask))),
          is_gapless_((mask >> first_ % kWarpSize & ((mask >> first_ % kWarpSize) + 1)) == 0) {}

    std::uint32_t mask() const { return mask_; }
    unsigned int count() const { return count_; }
    unsigned int rank() const {
        const auto lane = static_cast<unsigned int>(lane_index());
        if (is_gapless_) return lane - first_;
        return static_cast<unsigned int>(std::popcount(mask_ & ((1u << lane) - 1u)));
    }
    void synchronize() const { __syncwarp(mask_); }

    // The value of the group's member of that rank; the caller's own when there is none. Values of
    // any size travel as 8-byte words.
    template <class T>
    T value_from(T value, unsigned int source_rank) const {
        const int source = source_rank < count() ? lane_of(source_rank) : lane_index();
        std::uint64_t words[(sizeof(T) + 7) / 8] = {};
        __builtin_memcpy(words, static_cast<const void*>(&value), sizeof(T));
        for (std::uint64_t& word : words) {
            word = warp_collective(WarpOperation::shuffle, mask_, word, source, kWarpSize);
        }
        __builtin_memcpy(static_cast<void*>(&value), words, sizeof(T));
        return value;
    }

    // The bit of rank r is the predicate of the member of rank r.
    std::uint32_t ballot(int predicate) const {
        return pack_lanes(__ballot_sync(mask_, predicate), mask_);
    }
    template <class T>
    std::uint32_t match_any(T value) const {
        return pack_lanes(__match_any_sync(mask_, value), mask_);
    }
    template <class T>
    std::uint32_t match_all(T value, int& predicate) const {
        return pack_lanes(__match_all_sync(mask_, value, &predicate), mask_);
    }

  private:
    // Of a rank below count(). Most groups have no gaps.
    int lane_of(unsigned int rank) const {
        return is_gapless_ ? static_cast<int>(first_ + rank) : nth_lane(mask_, rank);
    }

    std::uint32_t mask_;
    unsigned int first_;
    unsigned int count_;
    bool is_gapless_;
};

}  // namespace emulator
