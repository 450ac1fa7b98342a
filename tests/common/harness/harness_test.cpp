// SPDX-License-Identifier: MIT
// What run_problem runs, in which order, and what it writes.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/common/harness/harness_fixture.hpp"

namespace {

using course_test::Harness;
using course_test::read_file;

TEST_F(Harness, TimesRepeatsAfterVerifyingAndWarmingUp) {
    EXPECT_EQ(run({"--repeats", "3", "--warmup", "2"}), 0);
    EXPECT_EQ(script.calls,
              "prepare poison run verify poison run poison run poison run poison run poison run "
              "verify ");
    EXPECT_EQ(err, "");
    for (const char* part :
         {"doubling/01_plain on Fake 1 (gpu)", "n               1000", "ones, seed 1", "factor=2",
          "4x256", "kernels", "1.0000 ms", "of 3 runs", "sum             3000",
          "verified        largest error"}) {
        EXPECT_TRUE(out_has(part)) << part << '\n' << out;
    }
}

TEST_F(Harness, DefaultsAreFiveRepeatsAndOneWarmUp) {
    EXPECT_EQ(run({"--quiet"}), 0);
    EXPECT_EQ(script.runs, 1 + 1 + 5);
    EXPECT_EQ(out, "");
    EXPECT_EQ(err, "");
}

TEST_F(Harness, TheCpuEngineRunsOnceAndSaysSo) {
    device.engine_name = "emu";
    EXPECT_EQ(run({}), 0);
    EXPECT_EQ(script.calls, "prepare poison run verify ");
    EXPECT_TRUE(out_has("n               100\n")) << out;
    EXPECT_TRUE(out_has("they say nothing about a GPU")) << out;
    EXPECT_EQ(run({"--repeats", "2", "--warmup", "1"}), 0);
    EXPECT_EQ(script.runs, 1 + 1 + 2);
}

TEST_F(Harness, CountingRunsTheChecksSizeOnce) {
    device.engine_name = "count";
    EXPECT_EQ(run({}), 0);
    EXPECT_EQ(script.calls, "prepare poison run verify ");
    EXPECT_TRUE(out_has("n               10\n")) << out;
    EXPECT_TRUE(out_has("they say nothing about a GPU")) << out;
    EXPECT_FALSE(device.counting.no_races);
    EXPECT_FALSE(device.counting.no_table);
}

TEST_F(Harness, TheFlagsOfCountingReachTheEngine) {
    device.engine_name = "count";
    EXPECT_EQ(run({"--no-races", "--counters", folder / "counters.json", "--trace",
                   folder / "trace.csv", "--quiet"}),
              0);
    EXPECT_TRUE(device.counting.no_races);
    EXPECT_TRUE(device.counting.no_table);
    EXPECT_EQ(device.counting.counters, folder / "counters.json");
    EXPECT_EQ(device.counting.trace, folder / "trace.csv");
    EXPECT_EQ(folder.count(), 0);  // the engine's to write
    EXPECT_EQ(run({"--counters", "-", "--check"}), 0);
    EXPECT_EQ(out, "");
    EXPECT_TRUE(err.starts_with("OK ")) << err;
    expect_failure({"--counters", folder / "none/counters.json"}, 1, "none");
    expect_failure({"--counters", "-", "--csv", "-"}, 2, "only one of");
}

TEST_F(Harness, OtherEnginesRefuseTheFlagsOfCounting) {
    for (const char* engine : {"gpu", "emu", "cpu"}) {
        device.engine_name = engine;
        expect_failure({"--no-races"}, 2, "--no-races");
        expect_failure({"--counters", "-"}, 2, "--counters");
        expect_failure({"--trace", folder / "trace.csv"}, 2, "--trace");
    }
}

TEST_F(Harness, ASingleRunIsVerifiedOnce) {
    EXPECT_EQ(run({"--repeats", "1", "--warmup", "0"}), 0);
    EXPECT_EQ(script.calls, "prepare poison run verify ");
    script.wrong_in_run = 1;
    expect_failure({"--repeats", "1", "--warmup", "0"}, 1, "WRONG RESULT after the timed runs");
}

TEST_F(Harness, CheckVerifiesOneRun) {
    EXPECT_EQ(run({"--check"}), 0);
    EXPECT_EQ(script.calls, "prepare poison run verify ");
    EXPECT_EQ(out, "OK doubling/01_plain n=10 largest error 0 at value 0 of 10, tolerance 1e-12\n");
    EXPECT_EQ(device.log.find("limits"), std::string::npos);  // nothing is timed
    EXPECT_EQ(run({"--check", "--n", "33"}), 0);
    EXPECT_TRUE(out_has("n=33 "));
}

TEST_F(Harness, ProfileIsOneBareRun) {
    EXPECT_EQ(run({"--profile"}), 0);
    EXPECT_EQ(script.calls, "prepare poison run ");
    EXPECT_EQ(out, "");
}

TEST_F(Harness, EveryRepeatIsOneRow) {
    script.work = {64.0, 32.0};
    EXPECT_EQ(run({"--csv", folder / "rows.csv", "--json", folder / "rows.json", "--output",
                   folder / "out", "--repeats", "2", "--n", "7", "--seed", "9"}),
              0);
    std::istringstream csv(read_file(folder / "rows.csv"));
    std::string line;
    std::getline(csv, line);
    EXPECT_TRUE(line.starts_with("date,version,chapter,")) << line;
    for (int repeat = 1; repeat <= 2; ++repeat) {
        ASSERT_TRUE(std::getline(csv, line));
        const std::string middle = ",doubling,01_plain,gpu,Fake 1,7,factor=2,4x256,ones,9," +
                                   std::to_string(repeat) + ",0,0,1,0,";
        EXPECT_NE(line.find(middle), std::string::npos) << line;
        EXPECT_TRUE(line.ends_with(",64,32,true")) << line;
    }
    EXPECT_FALSE(std::getline(csv, line));
    const auto json = nlohmann::json::parse(read_file(folder / "rows.json"));
    EXPECT_EQ(json["rows"].size(), 2U);
    EXPECT_EQ(json["verified"], true);
    EXPECT_EQ(json["summary"]["kernels_ms"]["median"], 1.0);
    EXPECT_EQ(json["report"]["sum"], "3000");
    EXPECT_EQ(read_file(folder / "out"), "3\n3\n3\n3\n3\n3\n3\n");
    EXPECT_EQ(folder.count(), 3);
}

TEST_F(Harness, WorkOfTheHostIsInTheSummaryAndTheJson) {
    EXPECT_EQ(run({}), 0);
    EXPECT_FALSE(out_has("  host ")) << out;
    script.host_works = true;
    EXPECT_EQ(run({"--json", folder / "rows.json"}), 0);
    EXPECT_TRUE(out_has("  host ")) << out;
    const auto json = nlohmann::json::parse(read_file(folder / "rows.json"));
    EXPECT_GE(json["summary"]["host_ms"]["minimum"], 2.0);
    EXPECT_GE(json["summary"]["total_ms"]["minimum"], 2.0);
    EXPECT_EQ(json["summary"]["kernels_ms"]["median"], 1.0);
}

TEST_F(Harness, DataOnStdoutSendsTheSummaryToStderr) {
    EXPECT_EQ(run({"--csv", "-", "--repeats", "1"}), 0);
    EXPECT_TRUE(out.starts_with("date,version,chapter,")) << out;
    EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 2);
    EXPECT_NE(err.find("verified"), std::string::npos);
    EXPECT_EQ(run({"--json", "-", "--quiet"}), 0);
    EXPECT_TRUE(nlohmann::json::parse(out)["verified"]);
    EXPECT_EQ(err, "");
    EXPECT_EQ(run({"--output", "-", "--n", "2", "--check"}), 0);
    EXPECT_EQ(out, "3\n3\n");
}

TEST_F(Harness, FurtherOutputsAreWrittenWhereAskedFor) {
    EXPECT_EQ(run({"--halves", folder / "halves", "--n", "2", "--check"}), 0);
    EXPECT_EQ(read_file(folder / "halves"), "0.75\n0.75\n");
    EXPECT_EQ(folder.count(), 1);
    EXPECT_TRUE(script.calls.ends_with("--halves"));
    EXPECT_EQ(run({"--signs", "-", "--n", "2"}), 0);
    EXPECT_EQ(out, "1\n1\n");
    EXPECT_NE(err.find("verified"), std::string::npos);
}

TEST_F(Harness, FurtherOutputsAreCompleteOrAbsent) {
    expect_failure({"--halves", "-", "--output", "-", "--check"}, 2, "only one of");
    expect_failure({"--halves", "-", "--signs", "-", "--check"}, 2,
                   "--halves and --signs: only one of");
    EXPECT_EQ(run({"--halves", folder / "halves", "--profile"}), 2);
    EXPECT_NE(err.find("--profile verifies nothing: --halves is not possible"), std::string::npos)
        << err;
    expect_failure({"--halves", folder / "no/halves"}, 1, "No such file or directory");
    EXPECT_EQ(script.calls, "");
    script.wrong_in_run = 7;
    expect_failure({"--halves", folder / "halves"}, 1, "WRONG RESULT");
    script.wrong_in_run = 0;
    script.further_output_fails = true;
    expect_failure({"--halves", folder / "halves"}, 1, "half written");
}

TEST_F(Harness, HelpAndVersionNeedNoDevice) {
    remove_device();
    EXPECT_EQ(run({"--help"}), 0);
    for (const char* flag : {"doubling/01_plain: doubles numbers",
                             "--n ",
                             "--input",
                             "--output",
                             "--seed",
                             "--repeats",
                             "--warmup",
                             "--device",
                             "--check",
                             "with --check also a list",
                             "--csv",
                             "--json",
                             "--profile",
                             "--quiet",
                             "--version",
                             "--factor",
                             "1000 on gpu",
                             "100 on emu",
                             "1000 on opencl",
                             "--platform",
                             "--halves",
                             "write the signs to a"}) {
        EXPECT_TRUE(out_has(flag)) << flag;
    }
    EXPECT_EQ(run({"--version"}), 0);
    EXPECT_TRUE(out.starts_with("doubling_01_plain ")) << out;
}

}  // namespace
