// SPDX-License-Identifier: MIT
// Where threads of a block meet: all of them at a barrier, or lanes of a warp in an operation.
#pragma once

#include <array>
#include <cstdint>
#include <emulator/thread.hpp>

namespace emulator {

constexpr int kMaxWarpsPerBlock = kMaxThreadsPerBlock / kWarpSize;

// Lanes of a warp that wait for each other: one operation, one mask.
struct WarpMeeting {
    WarpOperation operation;
    std::uint32_t mask;
    std::uint32_t arrived;
    int count;
    std::array<std::uint8_t, kWarpSize> order;  // lanes as they arrived
};

struct Warp {
    int meetings = 0;  // lanes with disjoint masks may meet at the same time
    std::array<WarpMeeting, kWarpSize> meeting;
    std::array<std::uint64_t, kWarpSize> value;
    std::array<int, kWarpSize> argument;
    std::array<int, kWarpSize> width;
    std::array<std::uint64_t, kWarpSize> result;
};

// Where all threads of the block wait for each other.
struct BlockMeeting {
    enum class Kind { plain, count, all, any, grid };
    Kind kind = Kind::plain;
    int arrived = 0;
    // A plain barrier that nobody observes, at which a thread has arrived.
    bool is_quick = false;
    int true_values = 0;
    int result = 0;
    std::array<std::uint16_t, kMaxThreadsPerBlock> order;  // threads as they arrived
};

// Computes the results of all lanes that met.
void compute_warp_results(Warp& warp, const WarpMeeting& meeting);

// The lane whose value a lane asks for by a shuffle, or the lane itself if that lies outside its
// segment; -1 for other operations.
int wanted_lane(const Warp& warp, const WarpMeeting& meeting, int lane);
// The lane whose value a shuffle gives to a lane: itself if the wanted one is missing; -1 for other
// operations.
int source_of_lane(const Warp& warp, const WarpMeeting& meeting, int lane);

}  // namespace emulator
