// SPDX-License-Identifier: MIT
// Monte Carlo: pi from the share of random points that fall into a quarter circle.
//
// Points (x, y) are drawn uniformly from the unit square; one lies inside when x^2 + y^2 < 1. The
// share of points inside tends to pi / 4 (thesis 8.2, equations 8.1 to 8.3).
#pragma once

#include <cstdint>
#include <string_view>

#include "common/harness/phase_timer.hpp"

namespace montecarlo {

using course::Phase;
using course::PhaseTimer;

// What a stage is asked to do.
struct Input {
    std::int64_t samples = 0;  // points to draw: exactly so many, never more or fewer
    std::uint64_t seed = 1;  // of cuRAND's XORWOW generator
    std::int64_t blocks = 0;  // thread blocks; 0: as many as the device holds at once
};

// What a stage answers.
struct Output {
    std::uint64_t inside = 0;  // points with x^2 + y^2 < 1
    // Generators used: number g (from 0) is XORWOW with the input's seed and subsequence g, and
    // draws samples / generators points, one more when g < samples % generators. The verifier
    // draws the same points again, so this split is part of the result.
    std::int64_t generators = 0;
};

// A stage: draws the points, counts those inside, and marks its phases on the timer.
using CountInside = void (*)(const Input&, Output&, PhaseTimer&);

// The least work a sample takes, for the check against the device's limits: two XORWOW draws of
// 9 integer operations (Marsaglia 2003: two shifts, four xors, an add, the Weyl add, the final
// shift; the moves cost nothing) and a multiply-add each, a multiply, a multiply-add, a compare.
inline constexpr double kOperationsPerSample = 2 * (9 + 2) + 1 + 2 + 1;

// main() of every stage. `max_samples` is the most that the stage can count.
// Returns the exit status (error.hpp).
int run_stage(int argc, char** argv, std::string_view stage_name, CountInside count_inside,
              std::uint64_t max_samples);

// The float64 view of a count, for reports and verification.
struct Estimate {
    double pi;  // 4 * inside / samples
    double standard_error;  // of `pi`: sqrt(pi * (4 - pi) / samples), about 1.642 / sqrt(samples)
    double z;  // (pi estimated - pi) / standard_error
};
Estimate estimate_pi(std::uint64_t inside, std::int64_t samples);

// Counts the points inside with an XORWOW of our own, on all cores: the independent answer that
// every stage must equal. Shares no code with the stages, cuRAND or the CPU engine: subsequences
// are reached one from another by the 2^67-step jump matrix.
std::uint64_t count_inside_reference(std::int64_t samples, std::uint64_t seed,
                                     std::int64_t generators);

// Above this many samples a result is verified by its z-score alone.
inline constexpr std::int64_t kMaxExactSamples = 1'000'000'000;
// |z| above this fails: it happens by chance once in 1.7 million runs.
inline constexpr double kMaxZ = 5.0;

}  // namespace montecarlo
