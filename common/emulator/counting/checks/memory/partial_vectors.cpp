// SPDX-License-Identifier: MIT
#include "common/emulator/counting/checks/memory/partial_vectors.hpp"

#include <unordered_map>
#include <utility>

#include "common/emulator/counting/output/counters.hpp"
#include "common/emulator/counting/output/findings.hpp"
#include "common/emulator/counting/output/phrases.hpp"
#include "common/emulator/counting/record/paths.hpp"

namespace emulator::counting {
namespace {

// It differs from the keys of other findings about one place.
constexpr std::uint64_t key_of_vector(PlaceId place) { return std::uint64_t{place} << 32 | 1 << 9; }

}  // namespace

bool loads_a_vector(PlaceId place) {
    static auto* known =
        new std::unordered_map<PlaceId, bool>;  // never destroyed: see findings.cpp
    const auto [entry, is_new] = known->try_emplace(place, false);
    if (is_new) entry->second = copies_a_vector(code_at(code_of(counting().places[place].head)));
    return entry->second;
}

void warn_of_partial_vector(Worker& worker, int thread, PlaceId place, unsigned bytes,
                            const std::string& first) {
    Finding finding;
    finding.kind = FindingKind::partial_vector;
    finding.kernel = worker.grid().name();
    finding.actors.push_back(
        {worker.block(), thread, line_of(place), "reads a vector of " + in_bytes(bytes)});
    finding.what = "of which some were never written, first " + first;
    finding.advice = "write all of it, or load only what is written";
    report(key_of_vector(place), std::move(finding));
}

bool has_warned_of_partial_vector(PlaceId place) { return count_if_reported(key_of_vector(place)); }

}  // namespace emulator::counting
