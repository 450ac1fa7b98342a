// SPDX-License-Identifier: MIT
// Runs of chapter floyd: paths, files, negative cycles and flags.
#include <algorithm>
#include <filesystem>

#include "tests/chapters/floyd/floyd_testing.hpp"
#include "tests/chapters/stage_run.hpp"

namespace floyd_test {
namespace {

void solve_timed(const Input& input, Output& output, floyd::PhaseTimer& timer) {
    timer.begin(floyd::Phase::kKernels);
    output = solve(input);
    timer.end();
}

course_test::RunResult run(std::vector<std::string> arguments,
                           floyd::FindPaths stage = solve_timed) {
    return course_test::run_quietly(std::move(arguments), [&](int argc, char** argv) {
        return floyd::run_stage(argc, argv, "floyd/test", stage);
    });
}

TEST_F(GraphFile, PathsAreCalledAsTheFileCallsThem) {
    const std::string file = folder_.write("a.gr", "p sp 4 3\na 1 2 7\na 2 4 -1\na 4 1 2\n");
    auto result = run({"--input", file, "--path", "1,4", "--repeats", "1"});
    ASSERT_EQ(result.status, 0) << result.diagnostics;
    EXPECT_NE(result.output.find("path            1 -> 2 -> 4\n"), std::string::npos)
        << result.output;
    EXPECT_NE(result.output.find("path_length     6\n"), std::string::npos) << result.output;
    EXPECT_NE(result.output.find("edges           3\n"), std::string::npos) << result.output;
    result = run({"--input", file, "--path", "1,3", "--repeats", "1"});
    EXPECT_NE(result.output.find("path            none\n"), std::string::npos) << result.output;
    result = run({"--input", file, "--path", "3,3", "--repeats", "1"});
    EXPECT_NE(result.output.find("path            3\n"), std::string::npos) << result.output;
    EXPECT_NE(result.output.find("path_length     0\n"), std::string::npos) << result.output;
}

TEST_F(GraphFile, MatricesAreWrittenAsTheFileCallsItsVertices) {
    const std::string file = folder_.write("a.gr", "p sp 3 2\na 1 2 7\na 2 3 -1\n");
    auto result = run({"--check", "--input", file, "--output", "-", "--quiet"});
    EXPECT_EQ(result.output, "0,7,6\ninf,0,-1\ninf,inf,0\n");
    result = run({"--check", "--input", file, "--next-hop", "-", "--quiet"});
    EXPECT_EQ(result.output, "1,2,2\n-1,2,3\n-1,-1,3\n");
}

TEST_F(GraphFile, ANegativeCycleIsAnErrorThatNamesIt) {
    const std::string file = folder_.write("e.csv", "0,1,3\n1,2,2\n2,0,-6\n2,3,1\n");
    const std::string out = folder_ / "out", hops = folder_ / "hops";
    for (const char* mode : {"--check", "--repeats=1", "--profile"}) {
        std::vector<std::string> arguments = {mode, "--input", file};
        if (std::string(mode) != "--profile") {
            arguments.insert(arguments.end(), {"--output", out, "--next-hop", hops});
        }
        const auto result = run(arguments);
        EXPECT_EQ(result.status, 1);
        EXPECT_NE(result.diagnostics.find(file + ": a cycle has negative length -1: "),
                  std::string::npos)
            << result.diagnostics;
        EXPECT_FALSE(std::filesystem::exists(out));
        EXPECT_FALSE(std::filesystem::exists(hops));
    }
}

TEST(CommandLine, OnlyAStageThatReportsTheNegativeCyclePassesItsInput) {
    const std::vector<std::string> arguments = {"--check", "--n", "9", "--input", "negative-cycle"};
    const auto silent = [](const Input& input, Output& output, floyd::PhaseTimer& timer) {
        solve_timed(input, output, timer);
        output.negative_cycle = false;
    };
    EXPECT_EQ(run(arguments).status, 0) << run(arguments).diagnostics;
    const auto result = run(arguments, silent);
    EXPECT_EQ(result.status, 1);
    EXPECT_NE(result.diagnostics.find("the stage does not report it"), std::string::npos)
        << result.diagnostics;
    const auto eager = [](const Input& input, Output& output, floyd::PhaseTimer& timer) {
        solve_timed(input, output, timer);
        output.negative_cycle = true;
    };
    EXPECT_EQ(run({"--check", "--n", "9"}, eager).status, 1);
    for (const char* flag : {"--output", "--next-hop"}) {
        std::vector<std::string> more = arguments;
        more.insert(more.end(), {flag, "-"});
        EXPECT_EQ(run(more).status, 2) << flag;
    }
    EXPECT_EQ(run({"--n", "9", "--input", "negative-cycle", "--path", "0,1"}).status, 2);
    EXPECT_EQ(run({"--check", "--n", "1", "--input", "negative-cycle"}).status, 2);
}

TEST_F(GraphFile, FaultsAndHugeGraphsAreOneLineAndNoFile) {
    const std::string out = folder_ / "out";
    for (const char* content : {"", "0,1,2,3\n", "0,0,-1\n", "0,999999,1\n"}) {
        const auto result = run({"--check", "--input", folder_.write("e.csv", content), "--output",
                                 out, "--next-hop", folder_ / "hops"});
        EXPECT_EQ(result.status, 1) << content;
        EXPECT_EQ(std::count(result.diagnostics.begin(), result.diagnostics.end(), '\n'), 1);
        EXPECT_NE(result.diagnostics.find("e.csv"), std::string::npos) << result.diagnostics;
        EXPECT_FALSE(std::filesystem::exists(out));
    }
}

TEST_F(GraphFile, FlagsThatCannotBeMeantAreRefused) {
    const std::string file = folder_.write("e.csv", "0,1,3\n1,2,2\n");
    for (const auto& bad :
         std::vector<std::vector<std::string>>{{"--density", "1.5"},
                                               {"--density", "nan"},
                                               {"--density", "0.5", "--input", "grid"},
                                               {"--density", "0.5", "--input", file},
                                               {"--negative", "--input", file},
                                               {"--max-weight", "-1"},
                                               {"--max-weight", "536870912"},
                                               {"--max-weight", "536870911"},
                                               {"--n", "1000001"},
                                               {"--n", "0"},
                                               {"--path", "1", "--quiet"},
                                               {"--path", "1,2,3"},
                                               {"--path", ","},
                                               {"--path", "0,x"},
                                               {"--path", "0,3", "--input", file},
                                               {"--path", "-1,0"}}) {
        std::vector<std::string> arguments = bad;
        arguments.insert(arguments.end(), {"--repeats", "1"});
        const auto result = run(arguments);
        EXPECT_EQ(result.status, 2) << bad[0] << ' ' << bad.back() << result.output;
        EXPECT_NE(result.diagnostics.find(bad[0]), std::string::npos) << result.diagnostics;
    }
    EXPECT_EQ(run({"--check", "--path", "0,1"}).status, 2);
    EXPECT_EQ(run({"--n", "4", "--check", "--input", folder_.write("a.gr", "p sp 3 1\na 1 2 3\n")})
                  .status,
              2);
}

}  // namespace
}  // namespace floyd_test
