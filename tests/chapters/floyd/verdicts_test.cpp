// SPDX-License-Identifier: MIT
// The oracle of chapter floyd: what must pass, and what must fail.
#include <algorithm>

#include "tests/chapters/floyd/floyd_testing.hpp"

namespace floyd_test {
namespace {

TEST(NegativeCycles, AreFoundWithTheirVertices) {
    // The cycle 2 -> 4 -> 3 -> 2 weighs -1; 0 <-> 1 weighs nothing.
    Checker checker(graph_of(
        6, {{0, 1, 4}, {1, 0, -4}, {1, 2, 1}, {2, 4, 5}, {4, 3, -7}, {3, 2, 1}, {4, 5, 1}}));
    std::vector<Vertex> cycle = floyd::find_negative_cycle(checker.input());
    ASSERT_EQ(cycle.size(), 4U);
    EXPECT_EQ(cycle.front(), cycle.back());
    std::int64_t length = 0;
    for (std::size_t i = 1; i < cycle.size(); ++i) {
        length += checker.input().distances[cycle[i - 1] * 6 + cycle[i]];
    }
    EXPECT_EQ(length, -1);
    Output output = solve(checker.input());
    EXPECT_TRUE(output.negative_cycle);
    EXPECT_TRUE(checker.passes(output));
    output.negative_cycle = false;
    EXPECT_FALSE(checker.passes(output));  // the stage must report the cycle
}

TEST(NegativeCycles, OfAllSizesAreFoundAndNoneWhereThereIsNone) {
    for (int size = 2; size <= 40; ++size) {
        std::vector<std::array<int, 3>> edges;
        for (int v = 0; v < size; ++v) edges.push_back({v, (v + 7) % size, v == 3 ? -size : 1});
        for (int v = 0; v < size; ++v) edges.push_back({v, (v + 1) % size, v == 0 ? 1 - size : 1});
        for (const int last : {1 - size, -size}) {
            edges[size] = {0, 1 % size, last};
            std::vector<std::array<int, 3>> ring(edges.begin() + size, edges.end());
            const Input input = make_input(graph_of(size, ring));
            EXPECT_EQ(floyd::find_negative_cycle(input).empty(), last == 1 - size) << size;
            EXPECT_EQ(solve(input).negative_cycle, last == -size) << size;
        }
    }
}

class Verdicts : public testing::TestWithParam<std::tuple<std::string, bool>> {
  protected:
    static constexpr std::int64_t kCount = 30;

    static Graph make() {
        const auto& [name, negative] = GetParam();
        GraphOptions options = weights_up_to(9, negative);
        options.density = 0.03;  // not all are connected
        return make_graph(name, kCount, options);
    }
    bool passes(const Output& output) { return checker_.passes(output); }

    Checker checker_{make()};
    Output right_ = solve(checker_.input());
};

TEST_P(Verdicts, PassTheRightAnswer) {
    const course::Verdict verdict = checker_.verdict(right_);
    EXPECT_TRUE(verdict.passed) << verdict.message;
    const auto expected = distances_of(checker_.input());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), right_.distances.begin()));
}

TEST_P(Verdicts, FailEachChangeOfOneDistance) {
    Output output = right_;
    for (std::int64_t cell = 0; cell < kCount * kCount; ++cell) {
        Distance& distance = output.distances[cell];
        const Distance before = distance;
        for (const Distance wrong :
             {before - 1, before + 1, 0, kInfinity, 7, std::numeric_limits<Distance>::min()}) {
            if (wrong == before) continue;
            distance = wrong;
            ASSERT_FALSE(passes(output)) << "cell " << cell << ": " << wrong;
        }
        distance = before;
        cell += 6;  // every seventh
    }
}

// Another hop is right if the edge to it and the distance from it add up to the same distance, and
// no edge of weight 0 leads back. All other hops must fail.
TEST_P(Verdicts, FailEachWrongNextHop) {
    Output output = right_;
    int wrong_hops = 0;
    for (std::int64_t cell = 0; cell < kCount * kCount; cell += 7) {
        const std::int64_t i = cell / kCount, j = cell % kCount;
        Vertex& hop = output.next_hops[cell];
        const Vertex before = hop;
        for (Vertex other = -2; other <= kCount; ++other) {
            if (other == before) continue;
            const bool vertex = other >= 0 && other < kCount && other != i;
            if (vertex && i != j &&
                std::int64_t{checker_.input().distances[i * kCount + other]} +
                        right_.distances[other * kCount + j] ==
                    right_.distances[cell]) {
                continue;
            }
            hop = other;
            ASSERT_FALSE(passes(output)) << "from " << i << " to " << j << " by " << other;
            ++wrong_hops;
        }
        hop = before;
    }
    EXPECT_GT(wrong_hops, 1000);
}

TEST_P(Verdicts, FailZerosAndTheInputItself) {
    Output output = right_;
    std::fill(output.distances.begin(), output.distances.end(), 0);
    EXPECT_FALSE(passes(output));
    output = right_;
    std::fill(output.next_hops.begin(), output.next_hops.end(), 0);
    EXPECT_FALSE(passes(output));
    output = right_;
    output.distances.pop_back();
    EXPECT_FALSE(passes(output));
    output = right_;
    output.negative_cycle = true;
    EXPECT_FALSE(passes(output));
    output = {checker_.input().distances, checker_.input().next_hops};
    // Between points on a line, no detour is shorter.
    EXPECT_EQ(passes(output), std::get<0>(GetParam()) == "complete");
}

// The hardest faults: the output is consistent, but a path is missing or is not the shortest.
TEST_P(Verdicts, FailAMissingPathAndALongOne) {
    Output output = right_;
    std::int64_t missing = -1, longer = -1;
    for (std::int64_t cell = 0; cell < kCount * kCount; ++cell) {
        if (cell / kCount == cell % kCount || right_.next_hops[cell] == kNoHop) continue;
        missing = cell;
        if (checker_.input().distances[cell] != kInfinity &&
            checker_.input().distances[cell] > right_.distances[cell]) {
            longer = cell;
        }
    }
    ASSERT_GE(missing, 0);
    output.distances[missing] = kInfinity;
    output.next_hops[missing] = kNoHop;
    EXPECT_FALSE(passes(output));
    if (longer < 0) return;
    output = right_;
    output.distances[longer] = checker_.input().distances[longer];
    output.next_hops[longer] = checker_.input().next_hops[longer];
    EXPECT_FALSE(passes(output));
}

// Equation 7.2 as printed: P(k, j), which from these initial values is always j.
TEST_P(Verdicts, FailEquation7_2) {
    Output output = right_;
    bool changed = false;
    for (std::int64_t cell = 0; cell < kCount * kCount; ++cell) {
        if (output.next_hops[cell] == kNoHop) continue;
        changed = changed || output.next_hops[cell] != cell % kCount;
        output.next_hops[cell] = static_cast<Vertex>(cell % kCount);
    }
    EXPECT_EQ(passes(output), !changed);
    EXPECT_EQ(changed, std::get<0>(GetParam()) != "complete");
}

INSTANTIATE_TEST_SUITE_P(Graphs, Verdicts,
                         testing::Combine(testing::Values("random", "grid", "cycle", "hypercube",
                                                          "complete"),
                                          testing::Bool()));

TEST(Ties, MakeNoLoopWhereUpdatesAreStrict) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        GraphOptions options = weights_up_to(seed % 3, seed % 2 == 0);
        options.density = 0.2;
        options.seed = seed;
        Checker checker(make_graph("random", 30, options));
        const course::Verdict verdict = checker.verdict(solve(checker.input()));
        EXPECT_TRUE(verdict.passed) << seed << ": " << verdict.message;
    }
}

TEST(Ties, TheOtherWayFailAsALoop) {
    // 0 and 1 are 0 apart, and both reach 2. Each of the two next hops is right alone, but not
    // both.
    Checker checker(graph_of(3, {{0, 1, 0}, {1, 0, 0}, {0, 2, 5}, {1, 2, 5}}));
    Output output = solve(checker.input());
    ASSERT_TRUE(checker.passes(output));
    output.next_hops[0 * 3 + 2] = 1;
    EXPECT_TRUE(checker.passes(output));
    output.next_hops[1 * 3 + 2] = 0;
    const course::Verdict verdict = checker.verdict(output);
    EXPECT_FALSE(verdict.passed);
    EXPECT_NE(verdict.message.find("comes back to"), std::string::npos) << verdict.message;
}

TEST(Sampling, WalksAllPathsAndComparesSomeSources) {
    GraphOptions options;
    options.density = 0.01;
    Checker checker(make_graph("random", Verifier::kMaxAllSources + 88, options));
    const std::int64_t n = checker.input().count;
    Output right = solve(checker.input());
    const course::Verdict verdict = checker.verdict(right);
    EXPECT_TRUE(verdict.passed) << verdict.message;
    EXPECT_NE(verdict.message.find("32 vertices"), std::string::npos) << verdict.message;
    // One wrong integer anywhere, and a missing path from the first and from the last vertex.
    for (const std::int64_t cell : {n * n / 2 + 5, n * n / 3 + 1, n * n - 2}) {
        Output output = right;
        ++output.distances[cell];
        EXPECT_FALSE(checker.passes(output)) << cell;
        output = right;
        output.next_hops[cell] = output.next_hops[cell] == kNoHop ? 0 : kNoHop;
        EXPECT_FALSE(checker.passes(output)) << cell;
    }
    for (const std::int64_t row : {std::int64_t{0}, n - 1}) {
        Output output = right;
        for (std::int64_t to = n - 2; to > 0; --to) {
            if (output.next_hops[row * n + to] == kNoHop) continue;
            output.distances[row * n + to] = kInfinity;
            output.next_hops[row * n + to] = kNoHop;
            break;
        }
        EXPECT_FALSE(checker.passes(output)) << row;
    }
}

}  // namespace
}  // namespace floyd_test
