// SPDX-License-Identifier: MIT
// Monte Carlo, stage peers/cpu_cores: all cores of the CPU, with SIMD.
// Idea: the generator and the test of stage limit/04, with a stream in each lane of a vector. A
// batch of 16 streams is one task, and its words stay in the core's first cache. The streams do not
// depend on the number of cores, so neither does the result.
// Compared with 00_cpu: threads, vectors, and a generator whose words do not wait for each other.
// Limit now: the arithmetic of all cores.
// Not of the thesis.
#include "problem/montecarlo.hpp"

#include <omp.h>

#include <algorithm>
#include <cstdint>

#include "common/cores/every_cpu.hpp"
#include "peers/cpu_cores/four_tap_lanes.hpp"

using montecarlo::Input, montecarlo::Output, montecarlo::Phase, montecarlo::PhaseTimer;
using montecarlo::kDegree, montecarlo::kLanes, montecarlo::Row;

constexpr montecarlo::Method kMethod = {.generator = montecarlo::Generator::kFourTap,
                                        .test = montecarlo::PointTest::kFloats};
constexpr int kRows = 480;  // drawn at a time; with the state before them, 36 KB
constexpr std::int64_t kMostBatches = 128;
constexpr std::int64_t kLeastPoints =
    1 << 20;  // of a batch: less would hardly take longer than its start

// Draws the next rows behind a state of kDegree rows, counts the points inside in the first
// `points` of each lane, and makes the last rows the new state.
EVERY_CPU std::uint64_t draw(Row* __restrict__ rows, int points) {
    std::uint32_t inside[kLanes] = {};
    for (int i = kDegree; i < kDegree + points; ++i) {
#pragma omp simd simdlen(kLanes)
        for (int lane = 0; lane < kLanes; ++lane) {
            const std::uint32_t word = rows[i - 20].words[lane] ^ rows[i - 51].words[lane] ^
                                       rows[i - 60].words[lane] ^ rows[i - kDegree].words[lane];
            rows[i].words[lane] = word;
            inside[lane] += montecarlo::is_inside(word);
        }
    }
    std::copy_n(rows + points, kDegree, rows);
    std::uint64_t sum = 0;
    for (int lane = 0; lane < kLanes; ++lane) sum += inside[lane];
    return sum;
}

// Of the batch whose streams begin with number `first`. Each stream has the same number of points;
// the first streams of all have one more, as many as remain.
std::uint64_t count_batch(const montecarlo::Streams& streams, std::int64_t first,
                          std::int64_t points, std::int64_t remain) {
    alignas(64) Row rows[kDegree + kRows];
    streams.start(first, rows);
    std::uint64_t inside = 0;
    for (std::int64_t left = points; left > 0; left -= kRows) {
        inside += draw(rows, static_cast<int>(std::min<std::int64_t>(kRows, left)));
    }
    draw(rows, 1);
    const Row& last = rows[kDegree - 1];
    for (int lane = 0; lane < std::clamp<std::int64_t>(remain - first, 0, kLanes); ++lane) {
        inside += montecarlo::is_inside(last.words[lane]);
    }
    return inside;
}

void count_inside(const Input& input, Output& output, PhaseTimer& timer) {
    timer.begin(Phase::kKernels);
    const std::int64_t batches =
        std::clamp<std::int64_t>(input.samples / kLeastPoints, 1, kMostBatches);
    const std::int64_t generators = batches * kLanes;
    const montecarlo::Streams streams(input.seed);
    std::uint64_t inside = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : inside)
    for (std::int64_t batch = 0; batch < batches; ++batch) {
        inside += count_batch(streams, batch * kLanes, input.samples / generators,
                              input.samples % generators);
    }
    output.inside = inside;
    output.generators = generators;
    timer.end();
    timer.note_grid(1, omp_get_max_threads());
    timer.declare_work({.bytes = 0, .operations = kMethod.operations_per_point() * input.samples});
}

int main(int argc, char** argv) {
    return montecarlo::run_stage(argc, argv, STAGE_NAME, count_inside, montecarlo::kMaxWordSamples,
                                 kMethod);
}
