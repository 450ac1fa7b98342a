// SPDX-License-Identifier: MIT
// Values that lanes take from lanes which do not execute the same warp function: such a value is
// undefined (CUDA C++ Programming Guide, "Warp Shuffle Functions"; PTX ISA, "shfl.sync").
//
// A right program may get such a value if it does not use it. Whether it does is seen by what its
// lanes do next: if those with an undefined value all leave the others at the next branch, as in
// "if (lane + d < count) v += other", they do not use it. In a reduction by __shfl_down_sync() the
// upper lanes' values may come from outside the mask, as long as they do not reach the lowest lane.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "common/emulator/counting/record/request.hpp"
#include "common/emulator/engine/meeting.hpp"

namespace emulator::counting {

class ArrivedThreads;

// By lane: the basic blocks before and after a warp function, as offsets of code; 0: none.
struct NextBlocks {
    std::array<std::uint32_t, kWarpSize> before{};
    std::array<std::uint32_t, kWarpSize> after{};
};

class UndefinedLanes {
  public:
    void begin_block();
    // Lanes have met. Reports lanes that met at different lines. The result: those whose value is
    // undefined because the lane that they read is not there.
    std::uint32_t check(Worker& worker, int warp, const Warp& values, const WarpMeeting& meeting,
                        const ArrivedThreads& arrived);
    // Where the lanes `met` went on, if check() found some with an undefined value.
    void judge(Worker& worker, int warp, PlaceId place, std::uint32_t met, const NextBlocks& next);

  private:
    // A reduction by __shfl_down_sync(), with one mask and decreasing distances.
    struct Chain {
        std::uint32_t mask = 0;
        int distance = 0;
        std::uint32_t tainted = 0;  // lanes whose value an undefined one has reached
        std::uint32_t number = 0;
    };
    struct Suspect {
        int warp;
        std::uint32_t met;
        std::uint32_t mask;
        WarpOperation operation;
        std::uint32_t undefined;
        int existing;  // the warp's number of threads
        std::uint32_t chain;
        std::array<std::int8_t, kWarpSize> source;
    };

    void follow_chain(int warp, const Warp& values, const WarpMeeting& meeting,
                      std::uint32_t undefined);
    bool is_harmless(const Suspect& suspect, int lane) const;

    std::array<Chain, kMaxWarpsPerBlock> chains_{};
    std::uint32_t last_chain_ = 0;
    std::vector<std::uint32_t> reached_;  // chains whose lowest lane is tainted
    std::vector<Suspect> suspects_;
};

// At the end of a grid: reports what no branch has decided.
void report_undecided_lanes();

}  // namespace emulator::counting
