// SPDX-License-Identifier: MIT
// The independent count and the verdicts of chapter montecarlo.
#include "problem/montecarlo.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numbers>

#include "problem/reference.hpp"
#include "tests/chapters/stage_run.hpp"

namespace {

using course_test::RunResult, course_test::run_quietly;
using montecarlo::count_inside_reference, montecarlo::Input, montecarlo::Output;
using montecarlo::PhaseTimer;

// Marsaglia's recurrence again, number by number: the jump matrices must agree with it.
struct PlainXorwow {
    std::uint32_t v[5], weyl;
    explicit PlainXorwow(std::uint64_t seed) {
        const std::uint32_t a = 1099087573u * (static_cast<std::uint32_t>(seed) ^ 0xaad26b49u);
        const std::uint32_t b =
            2591861531u * (static_cast<std::uint32_t>(seed >> 32) ^ 0xf7dcefddu);
        v[0] = 123456789u + a;
        v[1] = 362436069u ^ a;
        v[2] = 521288629u + b;
        v[3] = 88675123u ^ b;
        v[4] = 5783321u + a;
        weyl = 6615241u + a + b;
    }
    float uniform() {
        const std::uint32_t t = v[0] ^ (v[0] >> 2);
        for (int i = 0; i < 4; ++i) v[i] = v[i + 1];
        v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
        weyl += 362437u;
        return static_cast<float>(v[4] + weyl) * 0x1p-32f + 0x1p-33f;
    }
};

TEST(Reference, EqualsThePlainGeneratorOnOneSubsequence) {
    for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 63}) {
        PlainXorwow generator(seed);
        std::uint64_t inside = 0;
        for (std::int64_t drawn = 1; drawn <= 1000; ++drawn) {
            const float x = generator.uniform(), y = generator.uniform();
            inside += std::fmaf(x, x, y * y) < 1.0f;
            if (drawn % 333 == 1) {
                EXPECT_EQ(count_inside_reference(drawn, seed, 1), inside) << seed << " " << drawn;
            }
        }
    }
}

TEST(Reference, DoesNotDependOnUnusedGenerators) {
    EXPECT_EQ(count_inside_reference(5, 1, 5), count_inside_reference(5, 1, 1000));
}

TEST(Reference, GivesTheRemainderToTheFirstGenerators) {
    // 3 generators draw 7 points as 3 + 2 + 2. With 9 points, at most 2 more can be inside.
    const std::uint64_t seven = count_inside_reference(7, 4, 3);
    const std::uint64_t nine = count_inside_reference(9, 4, 3);
    EXPECT_LE(seven, nine);
    EXPECT_LE(nine, seven + 2);
}

TEST(Estimate, KnowsItsStandardError) {
    const montecarlo::Estimate estimate = montecarlo::estimate_pi(785'398, 1'000'000);
    EXPECT_NEAR(estimate.pi, 3.141592, 1e-12);
    EXPECT_NEAR(estimate.standard_error, 1.6421834e-3, 1e-9);
    EXPECT_NEAR(estimate.z, (3.141592 - std::numbers::pi) / 1.6421834e-3, 1e-6);
}

// A stage that is wrong by `error` points, run through the real harness.
void answer(const Input& input, Output& output, PhaseTimer& timer, std::int64_t error) {
    timer.begin(montecarlo::Phase::kKernels);
    output.generators = 3;
    output.inside = count_inside_reference(input.samples, input.seed, 3) + error;
    timer.end();
}

RunResult run(montecarlo::CountInside stage, std::uint64_t max_samples = UINT64_MAX,
              std::vector<std::string> arguments = {"--check"}) {
    return run_quietly(std::move(arguments), [&](int argc, char** argv) {
        return montecarlo::run_stage(argc, argv, "montecarlo/test", stage, max_samples);
    });
}

TEST(Verifier, PassesTheRightCount) {
    EXPECT_EQ(run([](auto& in, auto& out, auto& timer) { answer(in, out, timer, 0); }).status, 0);
}

TEST(Verifier, FailsACountThatIsOneOff) {
    const auto high = run([](auto& in, auto& out, auto& timer) { answer(in, out, timer, 1); });
    EXPECT_EQ(high.status, 1);
    EXPECT_NE(high.diagnostics.find("xorwow"), std::string::npos) << high.diagnostics;
    EXPECT_EQ(run([](auto& in, auto& out, auto& timer) { answer(in, out, timer, -1); }).status, 1);
}

TEST(Verifier, FailsZeroAndAnUnwrittenAnswer) {
    EXPECT_EQ(run([](auto&, auto& out, auto&) { out = {0, 1}; }).status, 1);
    EXPECT_EQ(run([](auto&, auto&, auto&) {}).status, 1);
}

TEST(Verifier, FailsABiasedCountTooLargeForTheExactOne) {
    const auto biased = [](auto& in, auto& out, auto&) {
        out.generators = 1;
        out.inside = static_cast<std::uint64_t>(0.7855 * static_cast<double>(in.samples));
    };
    const auto result = run(biased, UINT64_MAX, {"--check", "--n", "2e9"});
    EXPECT_EQ(result.status, 1);
    EXPECT_NE(result.diagnostics.find("standard errors"), std::string::npos) << result.diagnostics;
}

TEST(Limits, RefusesMoreSamplesThanTheStageCounts) {
    const auto right = [](auto& in, auto& out, auto& timer) { answer(in, out, timer, 0); };
    EXPECT_EQ(run(right, 1000, {"--check", "--n", "1000"}).status, 0);
    const auto refused = run(right, 1000, {"--check", "--n", "1001"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.diagnostics.find("at most 1000"), std::string::npos) << refused.diagnostics;
    EXPECT_EQ(run(right, 1000, {"--check", "--input", "plummer"}).status, 2);
}

TEST(Limits, RefusesPointsOfOneWordWhoseBiasWouldShow) {
    const montecarlo::Method method = {.generator = montecarlo::Generator::kFourTap,
                                       .test = montecarlo::PointTest::kFloats};
    const auto refused =
        run_quietly({"--check", "--n", "10000000000001"}, [&](int argc, char** argv) {
            return montecarlo::run_stage(
                argc, argv, "montecarlo/test", [](auto&, auto&, auto&) {}, UINT64_MAX, method);
        });
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.diagnostics.find("bias"), std::string::npos) << refused.diagnostics;
}

TEST(Scores, PassIfTheyAreNormalAndFailIfNot) {
    std::vector<double> scores;  // symmetric, with the mean square 1
    for (int i = 0; i < 32; ++i)
        scores.insert(scores.end(), {-std::sqrt(i / 15.5), std::sqrt(i / 15.5)});
    const auto changed = [&](double factor, double shift) {
        std::vector<double> copy;
        for (const double z : scores) copy.push_back(factor * z + shift);
        return montecarlo::summarise_scores(copy);
    };
    EXPECT_TRUE(changed(1, 0).passed);
    EXPECT_NEAR(changed(1, 0).root_mean_square, 1, 1e-9);
    // 34.6 and 104.8 are the quantiles of chi-squared with 64 degrees of freedom, over 64.
    EXPECT_NEAR(changed(1, 0).least_root, 0.735, 1e-3);
    EXPECT_NEAR(changed(1, 0).largest_root, 1.280, 1e-3);
    EXPECT_FALSE(changed(0.72, 0).passed);  // the points are too even
    EXPECT_FALSE(changed(1.30, 0).passed);  // streams repeat one another
    EXPECT_FALSE(changed(1, 0.4).passed);  // biased
    EXPECT_FALSE(changed(NAN, 0).passed);
}

TEST(Scores, AreThoseOfTheSeedsFromTheFirstOn) {
    const auto right = [](auto& in, auto& out, auto& timer) { answer(in, out, timer, 0); };
    EXPECT_EQ(run(right, UINT64_MAX, {"--check", "--n", "1000", "--seeds", "64"}).status, 0);
    // A stage that draws the same points for each seed but the first.
    const auto stuck = [](auto& in, auto& out, auto& timer) {
        Input one = in;
        if (one.seed > 1) one.seed = 2;
        answer(one, out, timer, 0);
    };
    const auto failed = run(stuck, UINT64_MAX, {"--check", "--n", "1000", "--seeds", "64"});
    EXPECT_EQ(failed.status, 1);
    EXPECT_NE(failed.diagnostics.find("root mean square"), std::string::npos) << failed.diagnostics;
}

}  // namespace
