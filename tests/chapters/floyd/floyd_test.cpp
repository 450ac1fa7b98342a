// SPDX-License-Identifier: MIT
// Graphs, files and verdicts of chapter floyd.
#include "problem/floyd.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "common/harness/error.hpp"
#include "tests/chapters/stage_run.hpp"
#include "tests/common/scratch_folder.hpp"

namespace {

using course_test::message_of, course_test::ScratchFolder;
using floyd::Distance, floyd::Graph, floyd::GraphOptions, floyd::Input, floyd::kInfinity;
using floyd::kNoHop, floyd::make_graph, floyd::make_input, floyd::Output, floyd::read_graph;
using floyd::Verifier, floyd::Vertex;

// Bellman-Ford from each vertex, by the definition: distances only, in 64 bits.
std::vector<std::int64_t> distances_of(const Input& input) {
    constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max() / 4;
    const std::int64_t n = input.count;
    std::vector<std::int64_t> all;
    for (std::int64_t source = 0; source < n; ++source) {
        std::vector<std::int64_t> reached(n, kFar);
        reached[source] = 0;
        for (bool changed = true; changed;) {
            changed = false;
            for (std::int64_t cell = 0; cell < n * n; ++cell) {
                const std::int64_t u = cell / n, v = cell % n;
                if (input.distances[cell] == kInfinity || reached[u] == kFar) continue;
                if (reached[u] + input.distances[cell] >= reached[v]) continue;
                reached[v] = reached[u] + input.distances[cell];
                changed = true;
            }
        }
        for (const std::int64_t distance : reached) {
            all.push_back(distance == kFar ? kInfinity : distance);
        }
    }
    return all;
}

// An answer that must pass: the three loops, with the tests for infinity written out.
Output solve(const Input& input) {
    const std::int64_t n = input.count;
    Output output{input.distances, input.next_hops};
    for (std::int64_t k = 0; k < n; ++k) {
        for (std::int64_t cell = 0; cell < n * n; ++cell) {
            const std::int64_t i = cell / n, j = cell % n;
            const std::int64_t to = output.distances[i * n + k], on = output.distances[k * n + j];
            if (to == kInfinity || on == kInfinity) continue;
            if (to + on >= output.distances[cell]) continue;
            output.distances[cell] = static_cast<Distance>(to + on);
            output.next_hops[cell] = output.next_hops[i * n + k];
            if (i == j) output.negative_cycle = true;
        }
        if (output.negative_cycle) break;
    }
    return output;
}

GraphOptions weights_up_to(std::int64_t max_weight, bool negative = false) {
    GraphOptions options;
    options.max_weight = max_weight;
    options.negative = negative;
    return options;
}

Graph graph_of(std::int64_t count, std::vector<std::array<int, 3>> edges) {
    Graph graph;
    graph.count = count;
    graph.for_each_edge = [edges = std::move(edges)](const floyd::AddEdge& add) {
        for (const auto& [from, to, weight] : edges) add(from, to, weight);
    };
    return graph;
}

class Checker {
  public:
    explicit Checker(Graph graph)
        : graph_(std::move(graph)), input_(make_input(graph_)), verifier_(graph_, input_, 1) {}
    course::Verdict verdict(const Output& output) { return verifier_.verify(output); }
    bool passes(const Output& output) { return verdict(output).passed; }
    const Input& input() const { return input_; }

  private:
    Graph graph_;
    Input input_;
    Verifier verifier_;
};

TEST(Graphs, HaveTheDistancesOfTheirFormula) {
    for (const std::string_view name : floyd::kInputNames) {
        for (const std::int64_t count : {1, 2, 3, 7, 16, 23}) {
            for (const bool negative : {false, true}) {
                const Graph graph = make_graph(name, count, weights_up_to(5, negative));
                ASSERT_EQ(graph.known_distance == nullptr, name == "random");
                if (!graph.known_distance) continue;
                const auto expected = distances_of(make_input(graph));
                for (std::int64_t cell = 0; cell < count * count; ++cell) {
                    ASSERT_EQ(graph.known_distance(static_cast<Vertex>(cell / count),
                                                   static_cast<Vertex>(cell % count)),
                              expected[cell])
                        << name << ' ' << count << ' ' << negative << " cell " << cell;
                }
            }
        }
    }
}

TEST(Graphs, HaveTheEdgesOfTheirKind) {
    const auto edges_of = [](std::string_view name, std::int64_t count, double density = 0.5) {
        GraphOptions options;
        options.density = density;
        const Input input = make_input(make_graph(name, count, options));
        return input.cells() - count -
               std::count(input.distances.begin(), input.distances.end(), kInfinity);
    };
    EXPECT_EQ(edges_of("grid", 12), 2 * (3 * 3 + 4 * 2));
    EXPECT_EQ(edges_of("cycle", 12), 12);
    EXPECT_EQ(edges_of("hypercube", 16), 16 * 4);
    EXPECT_EQ(edges_of("complete", 12), 12 * 11);
    EXPECT_EQ(edges_of("random", 12, 1), 12 * 11);
    EXPECT_EQ(edges_of("random", 12, 0), 0);
    EXPECT_NEAR(static_cast<double>(edges_of("random", 100, 0.25)), 2475, 150);
    for (const std::string_view name : floyd::kInputNames) EXPECT_EQ(edges_of(name, 1), 0);
}

TEST(Graphs, DependOnTheSeedAndHaveNegativeEdgesWhereAsked) {
    GraphOptions options;
    const Input a = make_input(make_graph("random", 50, options));
    const Input b = make_input(make_graph("random", 50, options));
    EXPECT_EQ(a.distances, b.distances);
    EXPECT_GE(*std::min_element(a.distances.begin(), a.distances.end()), 0);
    options.seed = 2;
    EXPECT_NE(a.distances, make_input(make_graph("random", 50, options)).distances);
    options.negative = true;
    for (const std::string_view name : floyd::kInputNames) {
        const Input input = make_input(make_graph(name, 50, options));
        EXPECT_LT(*std::min_element(input.distances.begin(), input.distances.end()), 0) << name;
        EXPECT_TRUE(floyd::find_negative_cycle(input).empty()) << name;
    }
}

TEST(Graphs, WithPathsThatMightBeTooLongAreRefused) {
    EXPECT_NO_THROW(make_graph("grid", 2, weights_up_to(floyd::kMaxDistance)));
    EXPECT_THROW(make_graph("grid", 3, weights_up_to(floyd::kMaxDistance)), course::UsageError);
    EXPECT_THROW(make_graph("grid", 2, weights_up_to(floyd::kMaxDistance, true)),
                 course::UsageError);
    EXPECT_THROW(make_graph("grid", floyd::kMaxVertices + 1, {}), course::UsageError);
    EXPECT_THROW(make_graph("torus", 9, {}), course::UsageError);
}

class GraphFile : public testing::Test {
  protected:
    Input read(const std::string& name, const std::string& content, std::int64_t count = 0) const {
        return make_input(read_graph(folder_.write(name, content), count));
    }
    // What read_graph throws, without the folder.
    std::string error_of(const std::string& name, const std::string& content) const {
        const std::string message =
            message_of<course::InputError>([&] { read_graph(folder_.write(name, content), 0); });
        return message.empty() ? "nothing" : message.substr(message.find(name));
    }

    ScratchFolder folder_;
};

constexpr Distance kInf = kInfinity;

TEST_F(GraphFile, DimacsIsDirectedFromOneAndTheShortestOfSeveralEdgesCounts) {
    const Input input =
        read("a.gr", "c three # vertices\nc\np sp 3 4\na 1 2 7\na 2 3 -1\na 1 2 5\na 1 2 6\n");
    EXPECT_EQ(input.distances, (std::vector<Distance>{0, 5, kInf, kInf, 0, -1, kInf, kInf, 0}));
    EXPECT_EQ(input.next_hops,
              (std::vector<Vertex>{0, 1, kNoHop, kNoHop, 1, 2, kNoHop, kNoHop, 2}));
    EXPECT_EQ(read_graph(folder_ / "a.gr", 3).first_vertex, 1);
    EXPECT_THROW(read_graph(folder_ / "a.gr", 4), course::UsageError);
}

TEST_F(GraphFile, PMedianIsUndirectedAndTheLastOfSeveralEdgesCounts) {
    const Input input = read("pmed1.txt", " 3 4 2 \n1 2 5\n2 3 4\n2 1 7\n3 2 9\n");
    EXPECT_EQ(input.distances, (std::vector<Distance>{0, 7, kInf, 7, 0, 9, kInf, 9, 0}));
    EXPECT_EQ(read_graph(folder_ / "pmed1.txt", 0).first_vertex, 1);
    EXPECT_THROW(read_graph(folder_ / "pmed1.txt", 4), course::UsageError);
}

TEST_F(GraphFile, CsvIsDirectedFromZeroWithOrWithoutAHeader) {
    for (const char* header : {"", "from,to,weight\n", "# edges\r\n\r\nfrom, to, weight\r\n"}) {
        const Input input = read("e.csv", std::string(header) + "0,1,3\n1,2,-2\n0,1,4\n");
        EXPECT_EQ(input.distances, (std::vector<Distance>{0, 3, kInf, kInf, 0, -2, kInf, kInf, 0}));
    }
    EXPECT_EQ(read("e.csv", "0,1,3\n", 5).count, 5);
    EXPECT_THROW(read("e.csv", "0,1,3\n4,5,6\n", 5), course::InputError);
}

TEST_F(GraphFile, FaultsNameTheirLine) {
    const std::pair<const char*, const char*> csv_faults[] = {
        {"0,1", ":2: 2 fields where 3 are due: from,to,weight"},
        {"0,1,2,3", ":2: 4 fields"},
        {"0,,2", ":2: vertex '' is empty"},
        {"0,1,2.5", ":2: weight '2.5' is not an integer"},
        {"0,1,nan", ":2: weight 'nan' is not"},
        {"0,1,x", ":2: weight 'x' is not a number"},
        {"0,1,536870912", ":2: weight '536870912' is above 536870911"},
        {"0,1,-536870912", ":2: weight '-536870912' is below -536870911"},
        {"0,1,9223372036854775808", ":2: weight '9223372036854775808' is out of range"},
        {"-1,1,2", ":2: vertex '-1' is below 0"},
        {"0,1000000,2", ":2: vertex '1000000' is above 999999"},
        {"3,3,2", ":2: an edge from vertex 3 to itself"},
        {"from,to,weight", ":2: vertex 'from' is not a number"}};
    for (const auto& [line, message] : csv_faults) {
        const std::string error = error_of("e.csv", std::string("0,1,1\n") + line + "\n0,2,1\n");
        EXPECT_EQ(error.rfind(std::string("e.csv") + message, 0), 0U) << line << " -> " << error;
    }
    EXPECT_EQ(error_of("e.csv", ""), "e.csv: holds no data");
    EXPECT_EQ(error_of("e.csv", "from,to,weight\n"), "e.csv:1: the file ends without an edge");

    const std::pair<const char*, const char*> dimacs_faults[] = {
        {"", ": holds no data"},
        {"c nothing\n", ":1: the file ends without a line `p sp"},
        {"a 1 2 3\np sp 3 1\n", ":1: an edge before the line `p sp"},
        {"p sp 3 1\np sp 3 1\na 1 2 3\n", ":2: a second `p` line"},
        {"p max 3 1\na 1 2 3\n", ":1: a problem other than `sp`"},
        {"p sp 3\na 1 2 3\n", ":1: 3 fields where 4 are due"},
        {"p sp 0 1\na 1 2 3\n", ":1: number of vertices '0' is below 1"},
        {"p sp 1000001 1\n", ":1: number of vertices '1000001' is above 1000000"},
        {"p sp 3 0\n", ":1: number of edges '0' is below 1"},
        {"p sp 3 2\na 1 2 3\n", ":2: the file ends after 1 edges of the 2 announced"},
        {"p sp 3 1\na 1 2 3\na 2 3 4\n", ":3: more edges than the 1 announced"},
        {"p sp 3 1\na 0 2 3\n", ":2: vertex '0' is below 1"},
        {"p sp 3 1\na 1 4 3\n", ":2: vertex '4' is above 3"},
        {"p sp 3 1\na 2 2 3\n", ":2: an edge from vertex 2 to itself"},
        {"p sp 3 1\na 1 2\n", ":2: 3 fields where 4 are due: a FROM TO WEIGHT"},
        {"p sp 3 1\na 1 2 0.5\n", ":2: weight '0.5' is not an integer"},
        {"p sp 3 1\ne 1 2 3\n", ":2: a line that starts with none of"}};
    for (const auto& [content, message] : dimacs_faults) {
        const std::string error = error_of("a.gr", content);
        EXPECT_EQ(error.rfind(std::string("a.gr") + message, 0), 0U) << content << " -> " << error;
    }

    const std::pair<const char*, const char*> p_median_faults[] = {
        {"", ": holds no data"},
        {"3 2\n1 2 3\n", ":1: 2 fields where 3 are due: VERTICES EDGES P"},
        {"3 2 4\n1 2 3\n", ":1: number of medians '4' is above 3"},
        {"3 0 1\n", ":1: number of edges '0' is below 1"},
        {"3 2 1\n1 2 3\n", ":2: the file ends after 1 edges of the 2 announced"},
        {"3 1 1\n1 2 3\n2 3 4\n", ":3: more edges than the 1 announced"},
        {"3 1 1\n1 2 -3\n", ":2: weight '-3' is below 0"},
        {"3 1 1\n1 4 3\n", ":2: vertex '4' is above 3"},
        {"3 1 1\n1 2 3 4\n", ":2: 4 fields where 3 are due: FROM TO COST"}};
    for (const auto& [content, message] : p_median_faults) {
        const std::string error = error_of("pmed", content);
        EXPECT_EQ(error.rfind(std::string("pmed") + message, 0), 0U) << content << " -> " << error;
    }
}

TEST_F(GraphFile, WithPathsThatMightBeTooLongAreRefused) {
    // 0 -> 1 -> 2: the edge out of 2 is in no simple path with both.
    EXPECT_EQ(error_of("e.csv", "0,1,300000000\n1,2,236870911\n2,0,236870911\n"), "nothing");
    EXPECT_EQ(error_of("e.csv", "0,1,300000000\n1,2,-236870912\n2,0,236870912\n"),
              "e.csv: paths may be as long as 536870912, above 536870911");
    EXPECT_THROW(read_graph("no/such/file.csv", 0), course::InputError);
    EXPECT_THROW(read_graph(folder_.path(), 0), course::InputError);
}

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
    output.negative_cycle = false;
    EXPECT_FALSE(checker.passes(output));  // an answer where there can be none
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

// Another hop is right where the edge to it and the distance from it add up to the same, and no
// edge of weight 0 leads back: it must pass or fail by that.
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
    // Between points on a line no detour is shorter.
    EXPECT_EQ(passes(output), std::get<0>(GetParam()) == "complete");
}

// As consistent as can be: no path where there is one, and a path that is not the shortest.
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
    // 0 and 1 are 0 apart, both reach 2: each next hop alone is as short as the other.
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
    // One integer anywhere, and a missing path from the first and the last vertex.
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

course_test::RunResult run(std::vector<std::string> arguments) {
    return course_test::run_quietly(std::move(arguments), [](int argc, char** argv) {
        return floyd::run_stage(argc, argv, "floyd/test",
                                [](const Input& input, Output& output, floyd::PhaseTimer& timer) {
                                    timer.begin(floyd::Phase::kKernels);
                                    output = solve(input);
                                    timer.end();
                                });
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
        EXPECT_NE(result.diagnostics.find(file + ": a cycle of negative length, -1: "),
                  std::string::npos)
            << result.diagnostics;
        EXPECT_FALSE(std::filesystem::exists(out));
        EXPECT_FALSE(std::filesystem::exists(hops));
    }
}

TEST_F(GraphFile, FaultsAndHugeGraphsAreOneLineAndNoFile) {
    const std::string out = folder_ / "out";
    for (const char* content : {"", "0,1\n", "0,0,1\n", "0,999999,1\n"}) {
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
