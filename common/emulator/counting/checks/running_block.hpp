// SPDX-License-Identifier: MIT
// The checks' state of the block that a worker runs.
#pragma once

#include "common/emulator/counting/checks/barriers.hpp"
#include "common/emulator/counting/checks/races/in_flight.hpp"
#include "common/emulator/counting/checks/races/word_checks.hpp"
#include "common/emulator/counting/checks/undefined_lanes.hpp"

namespace emulator::counting {

struct RunningBlock {
    WordChecks words;
    InFlight in_flight;
    ArrivedThreads arrived;
    UndefinedLanes undefined;
    PlaceId last_place = 0;

    void begin(Worker& worker);
    void check(Worker& worker, int warp, const Request& request);
};
RunningBlock& running_block(Worker& worker);

}  // namespace emulator::counting
