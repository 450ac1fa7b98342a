// SPDX-License-Identifier: MIT
// Runs of chapter kmeans: layouts, memory, files and the summary.
#include <algorithm>
#include <filesystem>

#include "common/base/host_memory.hpp"
#include "common/base/text.hpp"
#include "tests/chapters/kmeans/kmeans_testing.hpp"
#include "tests/chapters/stage_run.hpp"

namespace kmeans_test {
namespace {

using course_test::read_file;

// A stage for either layout.
void solve_timed(const Input& input, Output& output, kmeans::PhaseTimer& timer) {
    timer.begin(kmeans::Phase::kKernels);
    output = solve(input);
    timer.end();
}

course_test::RunResult run(std::vector<std::string> arguments, Layout layout = Layout::kPoints,
                           kmeans::FindClusters stage = solve_timed) {
    return course_test::run_quietly(std::move(arguments), [&](int argc, char** argv) {
        return kmeans::run_stage(argc, argv, "kmeans/test", stage, layout);
    });
}

TEST(CommandLine, AStageGetsTheLayoutThatItAskedForAndNoOther) {
    const std::vector<std::string> arguments = {"--check", "--n", "33", "--init", "plusplus"};
    const auto points = [](const Input& input, Output& output, kmeans::PhaseTimer& timer) {
        if (input.points.size() == 33 && input.lists.capacity() == 0) {
            solve_timed(input, output, timer);
        }
    };
    const auto lists = [](const Input& input, Output& output, kmeans::PhaseTimer& timer) {
        if (input.lists.size() == 66 && input.points.capacity() == 0) {
            solve_timed(input, output, timer);
        }
    };
    EXPECT_EQ(run(arguments, Layout::kPoints, points).status, 0);
    EXPECT_EQ(run(arguments, Layout::kLists, lists).status, 0);
    EXPECT_NE(run(arguments, Layout::kPoints, lists).status, 0);
    EXPECT_NE(run(arguments, Layout::kLists, points).status, 0);
}

// The host holds points and labels, 12 bytes per point; or, before that, the points and their copy
// as lists or their weights, 16 bytes per point. The "device" of the CPU holds 12 more.
TEST(CommandLine, StatesTheMemoryOfTheLayout) {
    constexpr std::int64_t kRound =
        10'000'000;  // large, so that the few MB of the oracle do not show after rounding
    // There is memory for 12 bytes per point, but not for 24.
    const std::int64_t n = course::available_host_bytes() / 18 / kRound * kRound;
    const auto states = [&](int bytes, Layout layout, const std::string& init) {
        const auto result = run({"--check", "--n", std::to_string(n), "--init", init}, layout);
        EXPECT_EQ(result.status, 2);
        const std::string needed = course::format_bytes(static_cast<double>(bytes * n));
        return result.diagnostics.find(" needs " + needed + " of host memory") != std::string::npos;
    };
    EXPECT_TRUE(states(24, Layout::kPoints, "first"));
    EXPECT_TRUE(states(28, Layout::kPoints, "plusplus"));
    EXPECT_TRUE(states(28, Layout::kLists, "first"));
    EXPECT_TRUE(states(28, Layout::kLists, "plusplus"));
}

TEST_F(PointsFile, RunsWriteBothFilesOrNone) {
    const std::string points = folder_.write("in", "0 0\n1,0\n10 0\n-11 5\n-12 6\n");
    const std::string centroids = folder_.write("init", "0 0\n10 0\n-10 0\n500 500\n");
    const std::string out = folder_ / "out", means = folder_ / "means";
    const std::vector<std::string> arguments = {"--check", "--input",     points, "--k",
                                                "4",       "--output",    out,    "--init",
                                                centroids, "--centroids", means};
    const auto with = [&](std::vector<std::string> more, Layout layout = Layout::kPoints) {
        more.insert(more.begin(), arguments.begin(), arguments.end());
        return run(more, layout);
    };
    for (const Layout layout : {Layout::kPoints, Layout::kLists}) {
        EXPECT_EQ(with({}, layout).status, 0) << with({}, layout).diagnostics;
        EXPECT_EQ(read_file(out), "x,y,label\n0,0,0\n1,0,0\n10,0,1\n-11,5,2\n-12,6,2\n");
        EXPECT_EQ(read_file(means), "x,y,size\n0,0,2\n10,0,1\n-11,5,2\n500,500,0\n");
        ASSERT_EQ(folder_.count(), 4);
        std::filesystem::remove(out);
        std::filesystem::remove(means);
    }

    for (const char* content :
         {"1 2\n", "1 2\n3 4\n5 6\n7 8\n9 10\n", "1 2\n3 4\n5 6\n7 x\n", ""}) {
        folder_.write("init", content);
        const auto result = with({});
        EXPECT_EQ(result.status, 1) << content;
        EXPECT_NE(result.diagnostics.find(centroids), std::string::npos) << result.diagnostics;
        EXPECT_EQ(std::ranges::count(result.diagnostics, '\n'), 1) << result.diagnostics;
        EXPECT_EQ(folder_.count(), 2);
    }
    for (const char* content : {"1 2\n3 4\n5 6\n7.5 8\n", "1 2\n3\n", "1 2\n1 1073741825\n", ""}) {
        folder_.write("in", content);
        const auto result = with({});
        EXPECT_EQ(result.status, 1) << content;
        EXPECT_NE(result.diagnostics.find(points), std::string::npos) << result.diagnostics;
        EXPECT_EQ(std::ranges::count(result.diagnostics, '\n'), 1) << result.diagnostics;
        EXPECT_EQ(folder_.count(), 2);
    }
    folder_.write("in", "1 2\n3 4\n");
    EXPECT_EQ(run({"--check", "--input", points, "--max-coordinate", "5"}).diagnostics,
              "test: --max-coordinate 5: " + points + " is a file, not a named input\n");
    EXPECT_EQ(with({}).status, 2);  // k > n
    EXPECT_EQ(with({"--n", "3"}).status, 2);
    EXPECT_EQ(folder_.count(), 2);
}

TEST(Report, SaysHowItEnded) {
    auto result = run({"--n", "500", "--k", "3", "--max-iterations", "2", "--repeats", "1"});
    ASSERT_EQ(result.status, 0) << result.diagnostics;
    EXPECT_NE(result.output.find("iterations      2\n"), std::string::npos) << result.output;
    EXPECT_NE(result.output.find("converged       not converged\n"), std::string::npos);
    EXPECT_NE(result.output.find("sse "), std::string::npos);
    EXPECT_NE(result.output.find("k=3;init=random;max-iterations=2\n"), std::string::npos);
    result = run({"--n", "500", "--k", "1", "--repeats", "1"});
    EXPECT_NE(result.output.find("iterations      2\n"), std::string::npos) << result.output;
    EXPECT_NE(result.output.find("converged       yes\n"), std::string::npos);
    result = run({"--n", "500", "--k", "1", "--all-iterations", "--repeats", "1"});
    EXPECT_NE(result.output.find(";max-iterations=20;all-iterations=1\n"), std::string::npos);
    EXPECT_NE(result.output.find("iterations      20\n"), std::string::npos) << result.output;
    EXPECT_NE(result.output.find("converged       yes\n"), std::string::npos);
}

TEST(Report, NamesARangeThatIsNotTheDefault) {
    const auto result = run({"--n", "500", "--max-coordinate", "1e6", "--repeats", "1"});
    EXPECT_NE(result.output.find(";max-coordinate=1000000\n"), std::string::npos) << result.output;
    const auto widest = run({"--n", "500", "--max-coordinate", "1073741824", "--repeats", "1"});
    EXPECT_EQ(widest.output.find("max-coordinate"), std::string::npos) << widest.output;
    EXPECT_EQ(run({"--n", "500", "--max-coordinate", "1073741825"}).status, 2);
    EXPECT_EQ(run({"--n", "500", "--max-coordinate", "0"}).status, 2);
}

}  // namespace
}  // namespace kmeans_test
