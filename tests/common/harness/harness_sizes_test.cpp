// SPDX-License-Identifier: MIT
// run_problem with --check: a list of sizes, and several runs in one process.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/common/harness/harness_fixture.hpp"

namespace {

using course_test::Harness;

TEST_F(Harness, CheckRunsEverySizeOfAList) {
    EXPECT_EQ(run({"--check", "--n", "3,1,1e2"}), 0);
    EXPECT_EQ(script.calls,
              "prepare poison run verify prepare poison run verify prepare poison run verify ");
    const std::string rest = ", tolerance 1e-12\n";
    EXPECT_EQ(out, "OK doubling/01_plain n=3 largest error 0 at value 0 of 3" + rest +
                       "OK doubling/01_plain n=1 largest error 0 at value 0 of 1" + rest +
                       "OK doubling/01_plain n=100 largest error 0 at value 0 of 100" + rest);
    EXPECT_EQ(err, "");
    EXPECT_EQ(times_opened(), 1);
    EXPECT_TRUE(script.options.n_given);
    EXPECT_EQ(script.options.n, 100);
}

TEST_F(Harness, AWrongSizeDoesNotHideTheOthers) {
    script.wrong_in_run = 2;
    EXPECT_EQ(run({"--check", "--n", "3,2,1"}), 1);
    EXPECT_EQ(script.runs, 3);
    EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 2);
    EXPECT_TRUE(out_has("n=3 ") && out_has("n=1 ")) << out;
    EXPECT_EQ(err,
              "doubling_01_plain: n=2: WRONG RESULT in the first run: largest error 3 at value 1 "
              "of 2, tolerance 1e-12\n");
}

TEST_F(Harness, TheStatusOfAListIsItsWorst) {
    EXPECT_EQ(run({"--check", "--n", "62501,5"}), 2);  // the first is too large for the device
    EXPECT_TRUE(err.starts_with("doubling_01_plain: n=62501: --n 62501 needs 1.00 MB")) << err;
    EXPECT_TRUE(out_has("OK doubling/01_plain n=5 ")) << out;
    script.wrong_in_run = 1;
    EXPECT_EQ(run({"--check", "--n", "5,62501"}), 2);
    EXPECT_EQ(out, "");
    EXPECT_NE(err.find("n=5: WRONG RESULT"), std::string::npos) << err;
    EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 2) << err;
}

TEST_F(Harness, CountingStartsOnceForAList) {
    device.engine_name = "count";
    EXPECT_EQ(run({"--check", "--n", "62501,5,7", "--counters", folder / "counters.json"}), 2);
    EXPECT_EQ(device.times_counting_was_set, 1);
    EXPECT_EQ(device.counting.counters, folder / "counters.json");
    EXPECT_TRUE(out_has("n=5 ") && out_has("n=7 ")) << out;
}

TEST_F(Harness, AListIsForChecksOfSizesAlone) {
    expect_failure({"--n", "1,2"}, 2, "--n: a list of sizes needs --check");
    expect_failure({"--n", "1,2", "--check", "--output", folder / "out"}, 2,
                   "--n: --output is not possible with a list of sizes");
    expect_failure({"--n", "1,2", "--check", "--halves", "-"}, 2,
                   "--n: --halves is not possible with a list of sizes");
    expect_failure({"--n", "1,0", "--check"}, 2, "--n '0' is below 1");
    expect_failure({"--n", "1,,2", "--check"}, 2, "--n '' is empty");
    expect_failure({"--n", "1,2,", "--check"}, 2, "--n '' is empty");
    expect_failure({"--n", "1 2", "--check"}, 2, "--n '1 2' is not a number");
    EXPECT_EQ(script.calls, "");
}

TEST_F(Harness, ThenBeginsAFurtherRun) {
    EXPECT_EQ(run({"--check", "--n", "3,1", "--then", "--check", "--n", "7", "--seed", "5"}), 0);
    EXPECT_EQ(script.runs, 3);
    EXPECT_TRUE(out_has("n=3 ") && out_has("n=1 ") && out_has("n=7 ")) << out;
    EXPECT_EQ(script.options.seed, 5u);
    EXPECT_EQ(err, "");
    EXPECT_EQ(times_opened(), 1);
}

TEST_F(Harness, ThenOpensAnotherDeviceOnly) {
    EXPECT_EQ(run({"--check", "--n", "3", "--then", "--check", "--device", "1", "--n", "7",
                   "--then", "--check", "--device", "1", "--n", "5"}),
              0);
    EXPECT_EQ(script.runs, 3);
    EXPECT_EQ(times_opened(), 2);
}

TEST_F(Harness, AWrongRunIsNamedByItsFlagsAndHidesNoOther) {
    script.wrong_in_run = 1;
    EXPECT_EQ(run({"--check", "--n", "2", "--then", "--check", "--n", "62501", "--then", "--check",
                   "--n", "5"}),
              2);
    EXPECT_TRUE(err.starts_with("doubling_01_plain --check --n 2: WRONG RESULT")) << err;
    EXPECT_NE(err.find("doubling_01_plain --check --n 62501: --n 62501 needs"), std::string::npos)
        << err;
    EXPECT_TRUE(out_has("n=5 ")) << out;
}

TEST_F(Harness, ThenIsForChecksAlone) {
    expect_failure({"--check", "--then", "--n", "3"}, 2, "--then: every run before and after it");
    expect_failure({"--then", "--check"}, 2, "--then: every run before and after it");
    EXPECT_EQ(script.calls, "");
}

}  // namespace
