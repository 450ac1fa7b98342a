// SPDX-License-Identifier: MIT
// The findings about two accesses that nothing orders.
#pragma once

#include "common/emulator/counting/checks/races/checked_block.hpp"
#include "common/emulator/counting/output/findings.hpp"

namespace emulator::counting {

struct Race {
    Access earlier;
    PlaceId earlier_place;
    Access now;
    PlaceId now_place;
    Space space;
    Operation does;  // now
    Operation did;  // the earlier access
    bool same_value;  // both wrote the same value
    std::uintptr_t address;
    bool read_nothing = false;  // the earlier access read a word that its block had not written
};
// A race between threads of one block waits for report_waiting_races(), because later ones of the
// same object may tell its cause.
void report_race(const CheckedBlock& block, const Race& race);
// Of each object the first race is the cause, and the others are kept as consequences.
void report_waiting_races();
std::size_t waiting_race_count();

// A bulk store reads a word that was written at `write_place`, and no fence made it visible.
void report_missing_proxy_fence(const CheckedBlock& block, int thread, PlaceId place,
                                const Access& write, PlaceId write_place);

// A task of a stream as an actor of a finding.
Actor actor_of(const TaskRecord& task, SourceLine line, std::string did);
// Completes a finding about two tasks of different streams.
void describe_streams(const TaskRecord& earlier, const TaskRecord& now, Finding& finding);
// The key of a finding about tasks of two streams (count_if_reported()).
std::uint64_t key_of_streams(PlaceId now_place, PlaceId earlier_place, unsigned detail);

}  // namespace emulator::counting
