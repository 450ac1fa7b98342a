// SPDX-License-Identifier: MIT
// Monte Carlo: pi from the share of random points that fall into a quarter circle.
//
// Points (x, y) are drawn uniformly from the unit square; a point is inside if x^2 + y^2 < 1. The
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
    std::int64_t samples = 0;  // points to draw, exactly
    std::uint64_t seed = 1;  // of cuRAND's XORWOW generator
    std::int64_t blocks = 0;  // thread blocks; 0: as many as the device holds at once
};

// What a stage answers.
struct Output {
    std::uint64_t inside = 0;  // points with x^2 + y^2 < 1
    // The number of generators used. Generator g (from 0) is XORWOW with the input's seed and
    // subsequence g. It draws samples / generators points, and one more if g < samples %
    // generators. The verifier draws the same points again, so this split is part of the result.
    std::int64_t generators = 0;
};

// A stage: draws the points, counts those inside, and marks its phases.
using CountInside = void (*)(const Input&, Output&, PhaseTimer&);

// The least work per sample, for the check against the device's limits. Each of two XORWOW draws
// takes 9 integer operations (Marsaglia 2003: three shifts, four xors, an addition, and the Weyl
// addition; the moves cost nothing) and a multiply-add. Then come a multiplication, a multiply-add
// and a comparison.
inline constexpr double kOperationsPerSample = 2 * (9 + 2) + 1 + 2 + 1;

// main() of every stage. `max_samples` is the largest number that the stage can count.
// Returns the exit status (error.hpp).
int run_stage(int argc, char** argv, std::string_view stage_name, CountInside count_inside,
              std::uint64_t max_samples);

// What a count says about pi, in float64, for reports and verification.
struct Estimate {
    double pi;  // 4 * inside / samples
    double standard_error;  // of `pi`: sqrt(pi * (4 - pi) / samples), about 1.642 / sqrt(samples)
    double z;  // (pi estimated - pi) / standard_error
};
Estimate estimate_pi(std::uint64_t inside, std::int64_t samples);

// Counts the points inside with its own XORWOW, on all cores: every stage must give this count. It
// shares no code with the stages, cuRAND or the CPU engine. It reaches each subsequence from the
// one before by the jump matrix of 2^67 steps.
std::uint64_t count_inside_reference(std::int64_t samples, std::uint64_t seed,
                                     std::int64_t generators);

// With more samples than this, only the z-score is verified.
inline constexpr std::int64_t kMaxExactSamples = 1'000'000'000;
// A larger |z| fails. By chance, this happens once in 1.7 million runs.
inline constexpr double kMaxZ = 5.0;

}  // namespace montecarlo
