// SPDX-License-Identifier: MIT
// A running block, and which accesses are ordered before what its threads do now.
#pragma once

#include <array>
#include <cstdint>

#include "common/emulator/counting/checks/races/phase_order.hpp"
#include "common/emulator/counting/checks/races/program.hpp"

namespace emulator::counting {

struct CheckedBlock {
    Worker* worker = nullptr;
    GridId grid = 0;
    BlockId id = 0;
    std::uint32_t phase = 0;
    // Earlier intervals are ordered before this grid. Later ones may be ordered or not.
    Interval first_of_grids = 0;
    Interval interval = 0;
    Interval first = 0;  // of the block
    // Intervals of other blocks that precede this block's intervals are smaller than this. kNever
    // if blocks alternate: in cooperative grids, and in grids launched by kernels.
    Interval others_end = 0;
    std::array<WarpHistory, kMaxWarpsPerBlock> history;
    PhaseOrder phases;
    ProxyFences proxy_fences;

    void begin(Worker& new_worker);
    void begin_interval(bool after_grid_barrier);
    void fence(int warp, std::uint32_t lanes, bool of_device);
    // Result: the launch's index in Program::launches.
    std::uint32_t note_launch(int thread, cudaStream_t stream);

    // Whether an earlier access is ordered before the access `now` of this block.
    bool is_ordered(const Access& earlier, const Access& now) const;

  private:
    bool is_ordered_by_launch(const Access& earlier, const IntervalRecord& record) const;
};

}  // namespace emulator::counting
