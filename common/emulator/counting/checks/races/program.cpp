// SPDX-License-Identifier: MIT
#include "common/emulator/counting/checks/races/program.hpp"

#include <algorithm>

namespace emulator::counting {

void begin_grid_record(const Grid& grid) {
    Program& all = program();
    ++all.running_grids;
    const Interval first = all.last_interval + 1;
    GridRecord record{&grid, "", 0, 0, 0, grid.blocks, first, kNever, kNever};
    if (grid.from_device) {
        record.launch = grid.launch_note;
        const LaunchRecord& launch = all.launches[grid.launch_note];
        GridRecord& parent = all.grids[launch.grid];
        record.parent = launch.grid;
        record.depth = parent.depth + 1;
        record.first_unordered = parent.first_unordered;
        if (!launch.is_tail()) {
            const Interval of_parent = parent.blocks == 1 ? launch.point.interval : parent.first;
            record.first_unordered =
                std::min({record.first_unordered, of_parent, parent.first_child});
        }
        parent.first_child = std::min(parent.first_child, first);
    } else {
        record.first_unordered = all.tasks.first_unordered();
        all.first_of_grids = first;
        all.intervals.clear();
        all.blocks.clear();
        all.grids.clear();
        all.grid_ids.clear();
        all.launches.clear();
        all.fences.clear();
        all.blocks_are_missing = false;
    }
    all.grid_ids[grid.serial] = static_cast<GridId>(all.grids.size());
    all.grids.push_back(record);
}

void end_grid_record(const Grid& grid) {
    Program& all = program();
    --all.running_grids;
    const auto id = all.grid_ids.find(grid.serial);
    GridRecord& record = all.grids[id->second];
    record.running = nullptr;
    if (grid.kernel.name != nullptr) record.name = grid.kernel.name;
    all.grid_ids.erase(id);
}

Kinship kinship(GridId earlier, GridId later) {
    const Program& all = program();
    Kinship result{};
    while (earlier != later) {
        const GridRecord& a = all.grids[earlier];
        const GridRecord& b = all.grids[later];
        if (a.depth >= b.depth) {
            result.earlier = &all.launches[a.launch];
            earlier = a.parent;
        } else {
            result.later = &all.launches[b.launch];
            later = b.parent;
        }
    }
    result.ancestor = earlier;
    return result;
}

}  // namespace emulator::counting
