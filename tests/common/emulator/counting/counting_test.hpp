// SPDX-License-Identifier: MIT
// The counters that a piece of work adds.
#pragma once

#include <map>
#include <utility>

#include "common/emulator/counting/output/counters.hpp"

using emulator::counting::Counts;
using emulator::counting::EventKind;
using emulator::counting::Space;

// Sums over all kernels. Barriers, collectives and basic blocks count as if of global memory.
class Totals {
  public:
    Totals() {
        for (const emulator::counting::Place& place : emulator::counting::counting().places) {
            if (place.head == emulator::counting::kNoHead) continue;
            sums_[{emulator::counting::space_of(place.head),
                   emulator::counting::kind_of(place.head)}] += place.counts;
        }
    }

    Counts since(const Totals& before, Space space, EventKind kind) const {
        Counts now = value(space, kind);
        const Counts then = before.value(space, kind);
        now.requests -= then.requests;
        now.lanes -= then.lanes;
        now.alive_lanes -= then.alive_lanes;
        now.units -= then.units;
        now.ideal_units -= then.ideal_units;
        now.depth -= then.depth;
        now.wavefronts -= then.wavefronts;
        now.bytes -= then.bytes;
        return now;
    }

  private:
    Counts value(Space space, EventKind kind) const {
        const auto found = sums_.find({space, kind});
        return found == sums_.end() ? Counts{} : found->second;
    }

    std::map<std::pair<Space, EventKind>, Counts> sums_;
};
