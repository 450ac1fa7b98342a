// SPDX-License-Identifier: MIT
// Inputs, files and verdicts of the chapter storms.
#include "problem/storms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>

#include "common/base/error.hpp"
#include "common/base/host_memory.hpp"
#include "tests/chapters/stage_run.hpp"
#include "tests/common/scratch_folder.hpp"

namespace {

using course_test::ScratchFolder;
using storms::find_workload, storms::Input, storms::make_waves, storms::Maximum;
using storms::Output, storms::read_wave, storms::Traits, storms::Verifier, storms::Wave;

// The exercise word for word, cell by cell: an answer that must pass.
Output solve(const Input& input) {
    Output output;
    std::vector<float>& layer = output.layer;
    layer.assign(input.size, 0.0f);
    for (const Wave& wave : input.waves) {
        for (std::int64_t i = 0; i < wave.count(); ++i) {
            const float energy = static_cast<float>(wave.values[i]) * 1000;
            for (std::int64_t k = 0; k < input.size; ++k) {
                const std::int64_t distance = std::abs(wave.positions[i] - k) + 1;
                const float e = energy / static_cast<float>(input.size) /
                                std::sqrt(static_cast<float>(distance));
                const float threshold = 0.001f / static_cast<float>(input.size);
                if (e >= threshold || e <= -threshold) layer[k] += e;
            }
        }
        const std::vector<float> copy = layer;
        Maximum maximum;
        for (std::int64_t k = 1; k < input.size - 1; ++k) {
            layer[k] = (copy[k - 1] + copy[k] + copy[k + 1]) / 3;
        }
        for (std::int64_t k = 1; k < input.size - 1; ++k) {
            if (layer[k] > layer[k - 1] && layer[k] > layer[k + 1] && layer[k] > maximum.value) {
                maximum = {k, layer[k]};
            }
        }
        output.maxima.push_back(maximum);
    }
    return output;
}

Wave make_wave(const std::vector<std::pair<std::int64_t, int>>& particles) {
    Wave wave;
    for (const auto& [position, value] : particles) wave.add(position, value);
    return wave;
}

Input make_input(std::string_view workload, std::int64_t size, std::uint64_t seed = 1) {
    return {size, make_waves(*find_workload(workload), size, seed)};
}

void solve_in_a_stage(const Input& input, Output& output, storms::PhaseTimer&) {
    output = solve(input);
}

void be_wrong_in_the_middle(const Input& input, Output& output, storms::PhaseTimer&) {
    output = solve(input);
    float& cell = output.layer[input.size / 2];
    cell = std::nextafter(cell, 1e30f);
}

course_test::RunResult run(std::vector<std::string> arguments,
                           storms::BombardLayer stage = solve_in_a_stage, Traits traits = {}) {
    return course_test::run_quietly(std::move(arguments), [&](int argc, char** argv) {
        return storms::run_stage(argc, argv, "storms/00_test", stage, traits);
    });
}

class Files : public testing::Test {
  protected:
    ScratchFolder folder_;
};

struct Known {
    std::int64_t size;
    std::string file, answer;
};
const Known kKnown[] = {
    {35, "5\n4 80\n8 10\n10 100\n15 20\n27 10\n", "10 3639.926758\n"},
    {20, "4\n9 90\n10 100\n11 90\n16 110\n", "10 12966.631836\n"},
    {17, "3\n2 1\n5 2\n15 3\n", "15 193.299606\n"},
};

TEST_F(Files, GiveTheKnownResults) {
    for (const Known& known : kKnown) {
        const std::string wave = folder_.write("wave", known.file);
        const auto result = run({"--check", "--quiet", "--n", std::to_string(known.size), "--input",
                                 wave, "--output", "-"});
        EXPECT_EQ(result.status, 0) << result.diagnostics;
        EXPECT_EQ(result.output, known.answer);
    }
}

TEST_F(Files, MayBeSeveral) {
    const std::string first = folder_.write("a", "# a wave\n2\n\n3 10\r\n 5 -10 # out\n");
    const std::string second = folder_.write("b", "0\n");
    const Wave wave = read_wave(first);
    EXPECT_EQ(wave.positions, (std::vector<std::int64_t>{3, 5}));
    EXPECT_EQ(wave.values, (std::vector<std::int32_t>{10, -10}));
    EXPECT_EQ(read_wave(second).count(), 0);
    const std::string out = folder_ / "out";
    const auto result = run(
        {"--check", "--n", "9", "--input", first + "," + second + "," + first, "--output", out});
    EXPECT_EQ(result.status, 0) << result.diagnostics;
    std::ifstream lines(out);
    std::string line;
    int count = 0;
    while (std::getline(lines, line)) ++count;
    EXPECT_EQ(count, 3);
}

TEST_F(Files, ThatAreWrongAreRefusedInOneLine) {
    struct Case {
        std::string content, said;
    };
    const Case cases[] = {
        {"2\n1 2\n", "holds 1 particle, its first line announces 2"},
        {"1\n1 2\n3 4\n", ":3: one particle too many: the first line announces 1"},
        {"2\n1 2\n3 4.5\n", ":3: "},
        {"x\n1 2\n", ":2: 2 fields where 1 is expected: count"},
        {"x 1\n1 2\n", ":1: "},
        {"-1\n", ":1: "},
        {"1 2\n", ":1: "},
        {"1\n5\n", ":2: "},
        {"1\n1 2 3\n", ":2: "},
        {"1\n1 2147483648\n", ":2: "},
        {"1\n2305843009213693953 1\n", ":2: "},
        {"", "holds no"},
    };
    for (const Case& one : cases) {
        const std::string wave = folder_.write("wave", one.content);
        const auto result = run({"--n", "9", "--input", wave, "--output", folder_ / "out",
                                 "--layer", folder_ / "layer", "--csv", folder_ / "rows"});
        EXPECT_EQ(result.status, course::kExitFailure) << one.content;
        EXPECT_NE(result.diagnostics.find(wave), std::string::npos) << result.diagnostics;
        EXPECT_NE(result.diagnostics.find(one.said), std::string::npos) << result.diagnostics;
        EXPECT_EQ(std::ranges::count(result.diagnostics, '\n'), 1) << result.diagnostics;
        EXPECT_EQ(folder_.count(), 1);
    }
}

TEST_F(Files, ThatAreMissingAndFlagsThatContradict) {
    const std::string wave = folder_.write("wave", "1\n1 2\n");
    const auto refused = [&](std::vector<std::string> arguments, int status,
                             const std::string& said) {
        arguments.insert(arguments.end(), {"--output", folder_ / "out"});
        const auto result = run(arguments);
        EXPECT_EQ(result.status, status) << result.diagnostics;
        EXPECT_NE(result.diagnostics.find(said), std::string::npos) << result.diagnostics;
        EXPECT_EQ(std::ranges::count(result.diagnostics, '\n'), 1) << result.diagnostics;
        EXPECT_EQ(folder_.count(), 1);
    };
    refused({"--n", "9", "--input", folder_ / "none"}, 1, "none: ");
    refused({"--n", "9", "--input", wave + "," + folder_ / "none"}, 1, "none: ");
    refused({"--n", "9", "--input", folder_.path()}, 1, folder_.path());
    refused({"--n", "9", "--input", wave + ","}, 2, "there is no name beside a comma");
    refused({"--n", "9", "--input", wave, "--waves", "2"}, 2, "--waves");
    refused({"--n", "9", "--input", wave, "--particles", "2"}, 2, "--particles");
    refused({"--n", "2", "--input", wave}, 2, "--n 2: a layer needs at least 3 cells");
    refused({"--n", "1"}, 2, "--n 1: ");
    refused({"--waves", "0"}, 2, "--waves");
}

TEST(Wave, TellsWhetherAllPositionsAreNear) {
    constexpr std::int64_t kFar = std::int64_t{1} << 30;
    Wave wave;
    EXPECT_TRUE(wave.is_nearer_than(1));  // there are no positions
    wave.add(kFar - 1, 1);
    wave.add(1 - kFar, 1);
    EXPECT_TRUE(wave.is_nearer_than(kFar));
    EXPECT_FALSE(wave.is_nearer_than(kFar - 1));
    for (const std::int64_t position : {kFar, -kFar, storms::kMaxPosition, -storms::kMaxPosition}) {
        Wave far = wave;
        far.add(position, 1);
        EXPECT_FALSE(far.is_nearer_than(kFar)) << position;
    }
}

TEST(Wave, TellsWhetherAValueIsZero) {
    EXPECT_FALSE(Wave{}.has_zeros());
    EXPECT_FALSE(make_wave({{0, 1}, {5, -1}}).has_zeros());
    EXPECT_TRUE(make_wave({{0, 1}, {5, 0}}).has_zeros());
}

TEST(Workloads, HaveTheirProperties) {
    for (const storms::Workload& workload : storms::kWorkloads) {
        const std::int64_t size = 1000;
        storms::Workload few = workload;
        few.particles = std::min<std::int64_t>(few.particles, 100);
        const std::vector<Wave> waves = make_waves(few, size, 1);
        EXPECT_EQ(std::ssize(waves), workload.waves);
        few.waves = 1;
        EXPECT_EQ(make_waves(few, size, 1)[0].positions, waves[0].positions) << workload.name;
        EXPECT_NE(make_waves(few, size, 2)[0].positions, waves[0].positions) << workload.name;
        EXPECT_NE(waves[1].positions, waves[0].positions) << workload.name;
        bool outside = false, negative = false, zero = false;
        for (const Wave& wave : waves) {
            EXPECT_EQ(wave.count(), few.particles);
            for (const std::int64_t position : wave.positions) {
                outside |= position < 0 || position >= size;
            }
            for (const std::int32_t value : wave.values) {
                negative |= value < 0;
                zero |= value == 0;
            }
        }
        const bool corners = workload.name == "corners", far = workload.name == "short" || corners;
        EXPECT_EQ(outside, workload.name == "outside" || far);
        EXPECT_EQ(negative, workload.name == "signed" || workload.name == "outside" || far);
        EXPECT_EQ(zero, workload.name == "signed" || workload.name == "zeros" || corners);
    }
    EXPECT_EQ(find_workload("smal"), nullptr);
}

// All cells that are greater than both neighbours and than 0, from the greatest on.
std::vector<Maximum> find_peaks(const std::vector<float>& layer) {
    std::vector<Maximum> peaks;
    for (std::size_t k = 1; k + 1 < layer.size(); ++k) {
        if (layer[k] > layer[k - 1] && layer[k] > layer[k + 1] && layer[k] > 0) {
            peaks.push_back({static_cast<std::int64_t>(k), layer[k]});
        }
    }
    std::ranges::stable_sort(peaks, std::greater{}, &Maximum::value);
    return peaks;
}

TEST(Corners, BeginWithTwoEqualPeaks) {
    for (const std::int64_t size : {31, 33, 255, 257, 513, 1000, 5000}) {
        for (const std::uint64_t seed : {1, 2, 3}) {
            Input input = make_input("corners", size, seed);
            input.waves.resize(1);
            const auto peaks = find_peaks(solve(input).layer);
            ASSERT_GE(peaks.size(), 2u) << size;
            EXPECT_EQ(peaks[0].value, peaks[1].value) << size << ' ' << seed;
            EXPECT_LT(peaks[0].position, peaks[1].position);
        }
    }
}

TEST(Plateau, IsGreaterThanEveryPeak) {
    for (const std::int64_t size : {31, 33, 255, 257, 513, 1000, 5000}) {
        for (const std::uint64_t seed : {1, 2, 3}) {
            Input input = make_input("plateau", size, seed);
            input.waves.resize(1);
            const std::vector<float> layer = solve(input).layer;
            const auto greatest = std::ranges::max_element(layer);
            EXPECT_EQ(greatest[0], greatest[1]) << size << ' ' << seed;
            for (const Maximum& peak : find_peaks(layer)) EXPECT_LT(peak.value, *greatest);
        }
    }
}

// The quotient of a cell with the reciprocal itself and one correction, as a faulty kernel has it.
float nearly_right(std::int64_t position, std::int32_t value, std::int64_t k, std::int64_t size) {
    const auto d = static_cast<float>(std::abs(position - k) + 1);
    const float share = static_cast<float>(value) * 1000 / static_cast<float>(size);
    const auto inverse = static_cast<float>(1 / std::sqrt(static_cast<double>(d)));
    const float quotient = share * inverse;
    return std::fma(std::fma(-std::sqrt(d), quotient, share), inverse, quotient);
}

class HardQuotients : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Workloads, HardQuotients, testing::Values("corners", "short"));

TEST_P(HardQuotients, AreOnePerParticleAtLeast) {
    for (const std::int64_t size : {3, 31, 257, 1000, 30'000}) {
        const Wave wave = make_waves(*find_workload(GetParam()), size, 1)[1];
        // The kernels for short distances must take the one and not the other.
        EXPECT_EQ(wave.is_nearer_than(std::int64_t{1} << 20), GetParam() == std::string("short"));
        for (std::int64_t i = 0; i < wave.count(); ++i) {
            const float share =
                static_cast<float>(wave.values[i]) * 1000 / static_cast<float>(size);
            bool hard = false;
            for (std::int64_t k = 0; k < size && !hard; ++k) {
                const float exact =
                    share / std::sqrt(static_cast<float>(std::abs(wave.positions[i] - k) + 1));
                hard = nearly_right(wave.positions[i], wave.values[i], k, size) != exact;
            }
            EXPECT_TRUE(hard) << size << ' ' << i;
        }
    }
}

TEST(Workloads, ReachAllCellsOrNot) {
    EXPECT_EQ(storms::particles_that_reach_all(make_input("small", 1000)), 120);
    EXPECT_EQ(storms::particles_that_reach_all(make_input("zeros", 1000)), 0);
    const std::int64_t outside = storms::particles_that_reach_all(make_input("outside", 1000));
    EXPECT_GT(outside, 60);
    EXPECT_LT(outside, 120);
}

TEST(Oracle, AgreesWithTheExercise) {
    for (const storms::Workload& workload : storms::kWorkloads) {
        for (const std::int64_t size : {3, 4, 5, 100, 2047, 2049, 5000}) {
            storms::Workload few = workload;
            few.particles = std::min<std::int64_t>(few.particles, 60);
            const Input input{size, make_waves(few, size, 7)};
            const auto verdict = Verifier(input).verify(solve(input));
            EXPECT_TRUE(verdict.passed) << workload.name << ' ' << size << ' ' << verdict.message;
        }
    }
    // A value of 1 reaches one part of this layer. The distances exceed the table of roots.
    const Input edge{2'000'000,
                     {make_wave({{1'000'000'500'000, 1}, {-999'999'500'000, -1}, {7, 5}}),
                      make_wave({{storms::kMaxPosition, 2'147'483'647},
                                 {-storms::kMaxPosition, -2'147'483'647 - 1}})}};
    const Output answer = solve(edge);
    EXPECT_TRUE(Verifier(edge).verify(answer).passed);
}

TEST(Oracle, FindsNoMaximumOrTheFirstOfEqualPeaks) {
    const std::vector<float> flat(5, 1.0f), sides{9, 1, 2, 3, 9}, equal{0, 2, 1, 2, 0},
        plateau{0, 2, 2, 0, 0}, below{-3, -1, -2, -1, -3};
    for (const auto& layer : {flat, sides, plateau, below}) {
        EXPECT_EQ(storms::find_maximum(layer).position, 0);
        EXPECT_EQ(storms::find_maximum(layer).value, 0);
    }
    EXPECT_EQ(storms::find_maximum(equal).position, 1);
    EXPECT_EQ(storms::find_maximum(equal).value, 2);
}

TEST(Verdict, FailsForOneWrongBit) {
    const Input input = make_input("small", 700);
    const Verifier verifier(input);
    const Output right = solve(input);
    ASSERT_TRUE(verifier.verify(right).passed);
    for (const std::size_t k : {0u, 1u, 350u, 698u, 699u}) {
        for (const float value : {std::nextafter(right.layer[k], 1e30f), 0.0f,
                                  std::numeric_limits<float>::quiet_NaN()}) {
            Output output = right;
            output.layer[k] = value;
            EXPECT_FALSE(verifier.verify(output).passed);
        }
    }
    for (std::size_t w = 0; w < right.maxima.size(); ++w) {
        Output output = right;
        ++output.maxima[w].position;
        EXPECT_FALSE(verifier.verify(output).passed);
        output = right;
        output.maxima[w].value = std::nextafter(output.maxima[w].value, 0.0f);
        EXPECT_FALSE(verifier.verify(output).passed);
    }
    Output shorter = right;
    shorter.layer.pop_back();
    EXPECT_FALSE(verifier.verify(shorter).passed);
    shorter = right;
    shorter.maxima.pop_back();
    EXPECT_FALSE(verifier.verify(shorter).passed);
    // Minus zero has other bits than zero.
    const Input nothing = make_input("zeros", 10);
    Output zeros = solve(nothing);
    EXPECT_TRUE(Verifier(nothing).verify(zeros).passed);
    zeros.layer[3] = -0.0f;
    EXPECT_FALSE(Verifier(nothing).verify(zeros).passed);
}

TEST(Verdict, AllowsOnlyCellsThatTheRaceCanReach) {
    const Input input = make_input("small", 700);  // 3 waves
    const Verifier verifier(input);
    const Output right = solve(input);
    EXPECT_TRUE(verifier.verify_race(right, 256).passed);
    for (std::size_t k = 0; k < right.layer.size(); ++k) {
        Output output = right;
        output.layer[k] *= 0.75f;
        output.maxima.back() = storms::find_maximum(output.layer);
        const bool beside = (k >= 253 && k <= 258) || (k >= 509 && k <= 514);
        EXPECT_EQ(verifier.verify_race(output, 256).passed, beside) << k;
        EXPECT_FALSE(verifier.verify_race(output, 1024).passed) << k;
    }
    Output output = right;
    output.layer[256] *= 4;  // there is a new peak, but the maximum is still the old one
    EXPECT_FALSE(verifier.verify_race(output, 256).passed);
}

TEST(RaceOnPurpose, IsShownAndNeverTimed) {
    constexpr Traits kRacing = {.has_block_size = true, .blocks_race = true};
    const std::vector<std::string> timed{"--n", "700", "--block-size", "350"};
    std::vector<std::string> check{"--check", "--n", "700", "--block-size", "350"};
    for (const auto& stage : {&solve_in_a_stage, &be_wrong_in_the_middle}) {
        const auto result = run(timed, stage, kRacing);
        EXPECT_EQ(result.status, 1);
        EXPECT_NE(result.diagnostics.find("a race on purpose"), std::string::npos);
    }
    auto result = run(check, solve_in_a_stage, kRacing);
    EXPECT_EQ(result.status, 0);
    EXPECT_NE(result.output.find("right this time"), std::string::npos) << result.output;
    result = run(check, be_wrong_in_the_middle, kRacing);
    EXPECT_EQ(result.status, 0) << result.diagnostics;
    EXPECT_NE(result.output.find("wrong because of its race: 1 of 700 cells"), std::string::npos);
    result = run(check, be_wrong_in_the_middle, {.has_block_size = true});
    EXPECT_EQ(result.status, 1);
    check.resize(3);  // blocks of 256: the middle is not at an edge
    result = run(check, be_wrong_in_the_middle, kRacing);
    EXPECT_EQ(result.status, 1);
}

int seen_block_size = 0;

void note_block_size(const Input& input, Output& output, storms::PhaseTimer&) {
    seen_block_size = input.block_size;
    output = solve(input);
}

TEST(BlockSize, IsAFlagOfStagesThatHaveIt) {
    constexpr Traits kSized = {.has_block_size = true};
    EXPECT_EQ(run({"--check", "--n", "9"}, note_block_size, kSized).status, 0);
    EXPECT_EQ(seen_block_size, 256);
    const auto result = run({"--n", "9", "--block-size", "96", "--repeats", "1", "--csv", "-"},
                            note_block_size, kSized);
    EXPECT_EQ(result.status, 0) << result.diagnostics;
    EXPECT_EQ(seen_block_size, 96);
    EXPECT_NE(result.output.find("waves=3;particles=120;block-size=96"), std::string::npos)
        << result.output;
    for (const char* size : {"0", "1025", "many"}) {
        EXPECT_EQ(run({"--n", "9", "--block-size", size}, note_block_size, kSized).status, 2);
    }
    EXPECT_EQ(run({"--n", "9", "--block-size", "96"}, note_block_size).status, 2);
}

TEST(Memory, HoldsAllParticlesAndWaves) {
    const std::vector<std::vector<std::string>> refused = {
        {"--particles", "1e12"},
        {"--waves", "1e12"},
        {"--waves", "5e7", "--input", "dense"},
        {"--particles", "1e18", "--waves", "1e18"},
        // The particles alone, of 36 bytes on the host, would fit; what a wave itself takes does
        // not.
        {"--waves", std::to_string(course::available_host_bytes() / 100), "--particles", "1"},
        // The 12 bytes of a particle on the device would fit alone.
        {"--particles", std::to_string(course::available_host_bytes() / 40), "--waves", "1"},
    };
    for (std::vector<std::string> flags : refused) {
        flags.insert(flags.end(), {"--check", "--n", "5"});
        const auto result = run(flags);
        EXPECT_EQ(result.status, course::kExitUsage) << flags[1];
        EXPECT_NE(result.diagnostics.find(" memory, "), std::string::npos) << result.diagnostics;
        EXPECT_NE(result.diagnostics.find("--particles "), std::string::npos) << result.diagnostics;
    }
}

TEST(Output, CanBeTheLayerToo) {
    const auto result = run({"--check", "--quiet", "--n", "5", "--input", "zeros", "--layer", "-"});
    EXPECT_EQ(result.status, 0) << result.diagnostics;
    EXPECT_EQ(result.output, "cell,energy\n0,0\n1,0\n2,0\n3,0\n4,0\n");
}

}  // namespace
