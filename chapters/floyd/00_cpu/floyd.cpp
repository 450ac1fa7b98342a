// SPDX-License-Identifier: MIT
// Floyd-Warshall, stage 00: one thread on the CPU.
// Idea: three loops (equation 7.1): allow each vertex k on the way, from each vertex i, to each
// vertex j.
// Limit now: one core, with a branch in the innermost loop.
// Thesis 7.2.
#include "problem/floyd.hpp"

#include <algorithm>
#include <cstdint>

using floyd::Distance, floyd::Input, floyd::kMaxDistance, floyd::Output, floyd::Phase,
    floyd::PhaseTimer, floyd::Vertex;

// Allows all paths to lead through vertex k. Returns true if that closes a negative cycle.
bool relax_through(Distance* distances, Vertex* next_hops, std::int64_t count, std::int64_t k) {
    bool negative = false;
    for (std::int64_t i = 0; i < count; ++i) {
        const Distance to_pivot = distances[i * count + k];
        const Vertex hop = next_hops[i * count + k];
        for (std::int64_t j = 0; j < count; ++j) {
            const Distance through = to_pivot + distances[k * count + j];
            // A sum that contains infinity is above kMaxDistance. "Less", never "less or equal":
            // floyd.hpp says why.
            if (through < std::min(distances[i * count + j], kMaxDistance + 1)) {
                distances[i * count + j] = through;
                next_hops[i * count + j] = hop;
            }
        }
        negative = negative || distances[i * count + i] < 0;
    }
    return negative;
}

void find_paths(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count;
    timer.begin(Phase::kSetup);
    output.distances = input.distances;
    output.next_hops = input.next_hops;
    Distance* distances = output.distances.data();
    Vertex* next_hops = output.next_hops.data();

    timer.begin(Phase::kKernels);
    // After a negative cycle, each step could double the values, so the loop ends there.
    for (std::int64_t k = 0; k < count && !output.negative_cycle; ++k) {
        output.negative_cycle = relax_through(distances, next_hops, count, k);
    }
    timer.end();
    timer.note_grid(1, 1);
    timer.declare_work(floyd::work_of_full_passes(input));
}

int main(int argc, char** argv) { return floyd::run_stage(argc, argv, STAGE_NAME, find_paths); }
