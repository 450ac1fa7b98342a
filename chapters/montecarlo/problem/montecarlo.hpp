// SPDX-License-Identifier: MIT
// Monte Carlo: pi from the share of random points that fall into a quarter circle.
//
// Points (x, y) are drawn uniformly from the unit square; a point is inside if x^2 + y^2 < 1. The
// share of points inside tends to pi / 4 (thesis 8.2, equations 8.1 to 8.3).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "common/harness/phase_timer.hpp"
#include "problem/method.hpp"

namespace montecarlo {

using course::Phase;
using course::PhaseTimer;

// What a stage is asked to do.
struct Input {
    std::int64_t samples = 0;  // points to draw, exactly
    std::uint64_t seed = 1;  // of the stage's generator
    std::int64_t blocks = 0;  // thread blocks; 0: as many as the device holds at once
    Generator generator = Generator::kXorwow;  // of the stage, or what it shall use of cuRAND's
    std::int64_t chunk = 1 << 24;  // points per call, for cuRAND's generators
};

// What a stage answers.
struct Output {
    std::uint64_t inside = 0;  // points with x^2 + y^2 < 1
    // The number of generators used. Generator g (from 0) draws samples / generators points, and
    // one more if g < samples % generators. method.hpp says where its numbers begin. The verifier
    // draws the same points again, so this split is part of the result.
    std::int64_t generators = 0;
};

// A stage: draws the points, counts those inside, and marks its phases.
using CountInside = void (*)(const Input&, Output&, PhaseTimer&);

// main() of every stage. `max_samples` is the largest number that the stage can count; a point
// test may allow fewer. Returns the exit status (error.hpp).
int run_stage(int argc, char** argv, std::string_view stage_name, CountInside count_inside,
              std::uint64_t max_samples, const Method& method = {});

// What a count says about pi, in float64, for reports and verification.
struct Estimate {
    double pi;  // 4 * inside / samples
    double standard_error;  // of `pi`: sqrt(pi * (4 - pi) / samples), about 1.642 / sqrt(samples)
    double z;  // (pi estimated - pi) / standard_error
};
Estimate estimate_pi(std::uint64_t inside, std::int64_t samples);

// The z-scores of independent runs: for a good generator, the mean is near 0 and the root mean
// square near 1. Each bound is passed by chance once in a thousand times.
struct ScoreSummary {
    double mean = 0, root_mean_square = 0;
    double largest_mean = 0, least_root = 0, largest_root = 0;  // what passes
    bool passed = false;
};
ScoreSummary summarise_scores(std::span<const double> scores);

// With more samples than this, only the z-score is verified.
inline constexpr std::int64_t kMaxExactSamples = 1'000'000'000;
// A larger |z| fails. By chance, this happens once in 1.7 million runs.
inline constexpr double kMaxZ = 5.0;

}  // namespace montecarlo
