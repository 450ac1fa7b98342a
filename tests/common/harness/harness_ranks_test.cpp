// SPDX-License-Identifier: MIT
// run_problem as one of several ranks.
#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>

#include "tests/common/harness/fake_ranks.hpp"
#include "tests/common/harness/harness_fixture.hpp"

namespace {

using course_test::FakeRanks;
using course_test::Harness;

class Ranks : public Harness {
  protected:
    void SetUp() override {
        Harness::SetUp();
        use_ranks(&ranks);
    }
    void TearDown() override {
        use_ranks(nullptr);
        Harness::TearDown();
    }

    FakeRanks ranks;
};

TEST_F(Ranks, TheFirstPrintsAndVerifies) {
    EXPECT_EQ(run({}), 0);
    EXPECT_TRUE(out_has("factor=2;ranks=4")) << out;
    EXPECT_NE(script.calls.find("verify"), std::string::npos);
}

TEST_F(Ranks, APhaseTakesAsLongAsOnTheSlowestRank) {
    EXPECT_EQ(run({"--csv", "-"}), 0);
    EXPECT_TRUE(out_has(",factor=2;ranks=4,")) << out;
    EXPECT_TRUE(out_has(",100")) << out;  // 1000 ms and the test's own time in all
}

TEST_F(Ranks, EachRunHasABeginAndAnEnd) {
    EXPECT_EQ(run({"--repeats", "2", "--warmup", "0"}), 0);
    EXPECT_EQ(ranks.log, "begin meet end begin meet end begin meet end ");
}

TEST_F(Ranks, TheLimitIsThatOfAllDevices) {
    device.cached_limits.peak_bytes_per_second = 1e9;
    device.fresh_limits = device.cached_limits;
    script.work = {3.9e6, 0.0, 1e9};  // in 1 ms
    EXPECT_EQ(run({}), 0) << err;
    script.work = {4.1e6, 0.0, 1e9};
    EXPECT_EQ(run({}), 1);
}

TEST_F(Ranks, TheOthersSayAndWriteNothing) {
    ranks.number = 2;
    const std::string path = folder / "rows.csv";
    const std::string output = folder / "output.txt";
    EXPECT_EQ(run({"--csv", path, "--output", output}), 0);
    EXPECT_EQ(out + err, "");
    EXPECT_FALSE(std::filesystem::exists(path) || std::filesystem::exists(output));
    EXPECT_EQ(script.calls.find("verify"), std::string::npos);
    EXPECT_EQ(run({"--help"}), 0);
    EXPECT_EQ(out, "");
}

TEST_F(Ranks, AFailureBeforeTheRunEndsNobody) {
    EXPECT_EQ(run({"--input", "missing.txt"}), 1);
    EXPECT_NE(err.find("rank 0 of 4: missing.txt"), std::string::npos) << err;
    EXPECT_EQ(ranks.ended, "");
}

TEST_F(Ranks, IfAnotherFailsBeforeTheRunThisOneDoesNotRun) {
    ranks.another_fails_in = 3;  // the flags, the device, the input
    EXPECT_EQ(run({}), 1);
    EXPECT_EQ(script.calls, "prepare ");
    EXPECT_EQ(out + err, "");
    EXPECT_EQ(ranks.ended, "");
}

TEST_F(Ranks, AFailureInTheRunEndsAll) {
    ranks.number = 1;
    script.on_run = [] { throw std::runtime_error("the memory is too small"); };
    EXPECT_EQ(run({}), 1);
    EXPECT_NE(ranks.ended.find("1 "), std::string::npos);
    EXPECT_NE(ranks.ended.find("rank 1 of 4: the memory is too small"), std::string::npos);
    EXPECT_EQ(out, "");
}

TEST_F(Ranks, AWrongResultIsSaidByTheFirst) {
    script.wrong_in_run = 1;
    EXPECT_EQ(run({}), 1);
    EXPECT_NE(err.find("WRONG RESULT"), std::string::npos);
    EXPECT_EQ(ranks.ended, "");
}

}  // namespace
