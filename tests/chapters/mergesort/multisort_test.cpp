// SPDX-License-Identifier: MIT
// Multisort's work, grid and flags. The harness must refuse the times that Herrero and Troiani
// published for it in 2024.
#include "problem/multisort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/error.hpp"
#include "common/harness/problem.hpp"
#include "problem/multiway.hpp"
#include "problem/rank_runs.hpp"
#include "tests/chapters/stage_run.hpp"
#include "tests/common/harness/fake_backend.hpp"

namespace {

using mergesort::blocks_for, mergesort::merge_levels, mergesort::multisort_work;

constexpr double kGiga = 1e9;
constexpr std::int64_t kPublishedCount = std::int64_t{1} << 25;

// A GeForce RTX 3080: 760 GB/s at the pins of its memory, 5 MB of L2.
class PublishedCard final : public course_test::FakeBackend {
  public:
    explicit PublishedCard(double milliseconds) {
        kernel_ms = milliseconds;
        free_bytes = std::int64_t{10} << 30;
        cached_limits.bytes_per_second = 690 * kGiga;
        cached_limits.l2_bytes_per_second = 2500 * kGiga;
        course::fill_from_attributes(cached_limits,
                                     {8, 6, 68, 1.71e9, 9.501e9, 40.0, 5.0 * (1 << 20)});
        fresh_limits = cached_limits;
    }
};

double g_kernel_ms = 1.0;

// Claims to have sorted: it has the memory, the declared work and the time of a sort, but no keys.
class Claim final : public course::Problem {
  public:
    explicit Claim(std::int64_t size_i) : size_i_(size_i) {}

    std::string_view chapter() const override { return "mergesort"; }
    std::string_view summary() const override { return "a published time"; }
    std::int64_t default_n(std::string_view, bool) const override { return kPublishedCount; }
    double device_bytes(std::int64_t n) const override { return 8.0 * static_cast<double>(n); }
    double host_bytes(std::int64_t) const override { return 0.0; }
    void prepare(const course::StageOptions&, const course::Backend&) override {}
    std::int64_t n() const override { return kPublishedCount; }
    std::string input_name() const override { return "uniform"; }
    void poison_output() override {}
    void run(course::PhaseTimer& timer) override {
        timer.begin(course::Phase::kKernels);
        timer.end();
        timer.declare_work(multisort_work(n(), size_i_));
    }
    course::Verdict verify() override { return {true, "not looked at"}; }
    void exchange_result(course::ResultFile&) override {}
    void write_output(std::ostream&, course::PhaseTimer&) override {}

  private:
    std::int64_t size_i_;
};

course_test::RunResult claim(std::int64_t size_i, double kernel_ms) {
    g_kernel_ms = kernel_ms;
    return course_test::run_quietly({}, [size_i](int argc, char** argv) {
        return course::run_problem(argc, argv, "mergesort/claim",
                                   [&] { return std::make_unique<Claim>(size_i); });
    });
}

void expect_impossible(std::int64_t size_i, double kernel_ms, const std::string& said) {
    const course_test::RunResult result = claim(size_i, kernel_ms);
    EXPECT_EQ(result.status, course::kExitFailure) << size_i << ' ' << kernel_ms;
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(std::count(result.diagnostics.begin(), result.diagnostics.end(), '\n'), 1);
    EXPECT_NE(result.diagnostics.find(said), std::string::npos) << result.diagnostics;
    EXPECT_NE(result.diagnostics.find("above the memory peak of this device"), std::string::npos);
}

}  // namespace

std::unique_ptr<course::Backend> course::open_backend(int, const std::string&) {
    return std::make_unique<PublishedCard>(g_kernel_ms);
}

namespace {

// Herrero and Troiani 2024, figures 9 and 10: random keys, size_i 2. One insertion pass and 24
// levels of merges.
TEST(Multisort, ThePublishedTimeIsRefused) {
    EXPECT_EQ(merge_levels(kPublishedCount, 2), 24);
    expect_impossible(2, 1.48, "kernels of repeat 1: 1.48 ms for 6.64 GB is 4.49 TB/s");
    const course_test::RunResult possible = claim(2, 8.6);
    EXPECT_EQ(possible.status, course::kExitOk) << possible.diagnostics;
}

// Their figure 8, size_i 4 and 8. From 16 on the insertion sorts take longer than the memory would.
TEST(Multisort, OtherPublishedTimesAreRefusedToo) {
    expect_impossible(4, 2.79, "2.79 ms for");
    expect_impossible(8, 7.15, "7.15 ms for");
    EXPECT_EQ(claim(16, 17.9).status, course::kExitOk);
}

TEST(Multisort, LevelsDoubleTheLengthOfRuns) {
    EXPECT_EQ(merge_levels(1, 1), 0);
    EXPECT_EQ(merge_levels(7, 7), 0);
    EXPECT_EQ(merge_levels(8, 7), 1);
    EXPECT_EQ(merge_levels(3, 1), 2);
    EXPECT_EQ(merge_levels(std::int64_t{1} << 33, 1), 33);
}

TEST(Multisort, DeclaresTheBytesThatEveryRunMoves) {
    EXPECT_EQ(multisort_work(1, 1).bytes, 0.0);
    EXPECT_EQ(multisort_work(5, 5).bytes, 4.0 * (5 + 4));  // nothing to merge
    EXPECT_EQ(multisort_work(4, 1).bytes, 4.0 * 2 * 2 * 4);  // nothing to insert
    // Runs of 2, 2, 2 and 1 keys: the last key takes part in both levels of merges only.
    EXPECT_EQ(multisort_work(7, 2).bytes, 4.0 * (3 * 3 + 2 * 2 * 7));
    EXPECT_EQ(multisort_work(7, 5).bytes, 4.0 * (9 + 3 + 2 * 7));
    EXPECT_EQ(multisort_work(std::int64_t{1} << 33, 2).bytes, (6.0 + 32 * 8) * (1ull << 33));
}

TEST(Multisort, AGridHasAThreadForEveryItem) {
    EXPECT_EQ(blocks_for(1, 1024), 1);
    EXPECT_EQ(blocks_for(1024, 1024), 1);
    EXPECT_EQ(blocks_for(1025, 1024), 2);
    EXPECT_EQ(blocks_for(std::int64_t{1} << 27, 1), 1 << 27);
    EXPECT_EQ(blocks_for(std::int64_t{1} << 33, 32), 1 << 28);
    EXPECT_EQ(blocks_for((std::int64_t{1} << 31) - 1, 1), 2147483647);
    EXPECT_EQ(blocks_for(((std::int64_t{1} << 31) - 1) * 4, 4), 2147483647);
    EXPECT_THROW(blocks_for(((std::int64_t{1} << 31) - 1) * 4 + 1, 4), course::UsageError);
    try {
        blocks_for(std::int64_t{1} << 33, 1);
        FAIL();
    } catch (const course::UsageError& error) {
        EXPECT_STREQ(error.what(),
                     "--threads 1: 8589934592 threads would need 8589934592 blocks, but a grid has "
                     "at most 2147483647");
    }
}

TEST(Multisort, PassesEndWithRunsOfTheWantedLength) {
    constexpr std::int64_t kRun = 100;
    for (const std::int64_t count : {1, 100, 101, 800, 801, 123'456}) {
        for (const int wanted : {0, 1, 3, 4, 7, 40}) {  // levels
            std::int64_t length = kRun;
            for (const mergesort::Pass& pass :
                 mergesort::plan_passes(count, kRun, 8, 256, 33, 2, kRun << wanted)) {
                EXPECT_EQ(pass.run, length);
                length *= pass.ways;
            }
            EXPECT_EQ(length, kRun << std::min(wanted, merge_levels(count, kRun)));
        }
    }
}

TEST(Multisort, TilesOfBulkCopiesBeginAtMultiplesOfFourKeys) {
    for (const std::int64_t most_ways : {2, 4, 8, 16}) {
        for (const mergesort::Pass& pass :
             mergesort::plan_bulk_passes(1'000'000, 8448, most_ways, 256, 49)) {
            EXPECT_EQ(pass.capacity % 4, 0) << pass.ways;
            EXPECT_EQ(pass.capacity % 49, 0) << pass.ways;  // whole windows
            EXPECT_LE(pass.capacity, (256 - pass.ways / 2) * 49);
            EXPECT_GT(pass.capacity, (256 - pass.ways / 2 - 4) * 49);
        }
    }
}

TEST(Multisort, TheRanksShareTheRunsOfTheLastPass) {
    for (const auto& [ranks, each] : {std::pair{1, 1}, {2, 8}, {3, 4}, {8, 2}, {9, 1}, {64, 1}}) {
        const mergesort::RunsOfRanks runs(1'000'003, ranks, 16, 100);
        EXPECT_EQ(runs.each, each) << ranks;
        std::int64_t keys = 0;
        for (int run = 0; run < runs.all(); ++run) keys += runs.length(run);
        EXPECT_EQ(keys, 1'000'003) << ranks;
    }
    // A slice of one tile is one run, also where there are fewer keys than ranks.
    EXPECT_EQ(mergesort::RunsOfRanks(150, 2, 16, 100).each, 1);
    EXPECT_EQ(mergesort::RunsOfRanks(1, 2, 16, 100).length(1), 0);
}

TEST(Multisort, TheLastChunksShrink) {
    const auto chunks = [](std::int64_t count, std::int64_t most, std::int64_t least) {
        return mergesort::plan_chunks(count, most, least, 10);
    };
    using Keys = std::vector<std::int64_t>;
    EXPECT_EQ(chunks(140, 5, 1), (Keys{40, 40, 30, 20, 10}));
    EXPECT_EQ(chunks(143, 5, 1), (Keys{40, 40, 30, 20, 13}));  // whole tiles, but for the last
    EXPECT_EQ(chunks(140, 1, 1), Keys{140});
    EXPECT_EQ(chunks(25, 16, 1), (Keys{10, 10, 5}));  // no chunk without a tile
    EXPECT_EQ(chunks(7, 16, 1), Keys{7});
    EXPECT_EQ(chunks(1, 16, 1000), Keys{1});
    // None is much shorter than the least: fewer chunks, and the last ones shrink less.
    EXPECT_EQ(chunks(2000, 16, 500), (Keys{500, 500, 500, 500}));
    EXPECT_EQ(chunks(1400, 4, 200), (Keys{430, 320, 320, 330}));
    for (const std::int64_t count : {1, 9, 10, 11, 1000, 12345, 1 << 28}) {
        for (const std::int64_t most : {1, 2, 3, 16}) {
            std::int64_t all = 0;
            for (const std::int64_t keys : chunks(count, most, 1)) {
                EXPECT_GT(keys, 0);
                all += keys;
            }
            EXPECT_EQ(all, count);
        }
    }
}

TEST(Multisort, FlagsAreBounded) {
    const auto run = [](const std::vector<std::string>& arguments) {
        const auto sort = [](const mergesort::Input& input, mergesort::Output& output,
                             mergesort::PhaseTimer&) {
            std::copy(input.keys.begin(), input.keys.end(), output.keys.begin());
            std::sort(output.keys.begin(), output.keys.end());
        };
        g_kernel_ms = 1.0;
        return course_test::run_quietly(arguments, [&](int argc, char** argv) {
            return mergesort::run_stage(argc, argv, "mergesort/test", sort, nullptr,
                                        {mergesort::size_i_option(2), mergesort::threads_option()});
        });
    };
    EXPECT_NE(run({"--n", "9"}).output.find("size-i=2;threads=32\n"), std::string::npos);
    EXPECT_NE(run({"--n", "1"}).output.find("size-i=1;threads=32\n"), std::string::npos);
    EXPECT_NE(run({"--n", "9", "--size-i", "9", "--threads", "1024"})
                  .output.find("size-i=9;threads=1024\n"),
              std::string::npos);
    const std::vector<std::vector<std::string>> wrong = {
        {"--size-i", "0"},  {"--size-i", "-1"},    {"--size-i", "10"},    {"--size-i", "2.5"},
        {"--threads", "0"}, {"--threads", "1025"}, {"--threads", "warp"}, {"--size-i", "1e300"},
    };
    for (const std::vector<std::string>& flag : wrong) {
        const course_test::RunResult result = run({"--n", "9", flag[0], flag[1]});
        EXPECT_EQ(result.status, course::kExitUsage) << flag[1];
        EXPECT_EQ(result.output, "");
        EXPECT_TRUE(result.diagnostics.starts_with("test: " + flag[0])) << result.diagnostics;
        EXPECT_EQ(std::count(result.diagnostics.begin(), result.diagnostics.end(), '\n'), 1);
    }
}

}  // namespace
