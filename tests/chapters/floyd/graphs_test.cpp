// SPDX-License-Identifier: MIT
// Named graphs and files of edges of chapter floyd.
#include <algorithm>
#include <array>

#include "tests/chapters/floyd/floyd_testing.hpp"

namespace floyd_test {
namespace {

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

TEST(Graphs, HaveALongestPath) {
    for (const std::int64_t count : {1, 2, 3, 70}) {
        const floyd::Graph graph = make_graph(floyd::kLongestPathName, count, {});
        const auto last = static_cast<floyd::Vertex>(count - 1);
        EXPECT_EQ(graph.known_distance(0, last), count == 1 ? 0 : floyd::kMaxDistance);
        for (floyd::Vertex from = 0; from < count; ++from) {
            for (floyd::Vertex to = 0; to < count; ++to) {
                EXPECT_LE(graph.known_distance(from, to), floyd::kMaxDistance);
                EXPECT_GE(graph.known_distance(from, to), 0);
            }
        }
    }
    GraphOptions negative;
    negative.negative = true;
    EXPECT_THROW(make_graph(floyd::kLongestPathName, 9, negative), course::UsageError);
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

TEST(Graphs, OfANegativeCycleAreOneCycleOfLengthMinusOne) {
    for (const std::int64_t count : {2, 3, 40}) {
        for (const std::int64_t max_weight : {0, 1000}) {
            const Input input =
                make_input(make_graph(floyd::kNegativeCycleName, count, weights_up_to(max_weight)));
            const std::vector<Vertex> cycle = floyd::find_negative_cycle(input);
            ASSERT_EQ(std::ssize(cycle), count + 1);
            std::int64_t length = 0;
            for (std::int64_t i = 0; i < count; ++i) {
                length += input.distances[cycle[i] * count + cycle[i + 1]];
            }
            EXPECT_EQ(length, -1);
            EXPECT_TRUE(solve(input).negative_cycle);
        }
    }
    EXPECT_THROW(make_graph(floyd::kNegativeCycleName, 1, {}), course::UsageError);
    EXPECT_THROW(make_graph(floyd::kNegativeCycleName, 2, weights_up_to(floyd::kMaxDistance)),
                 course::UsageError);
}

TEST(Graphs, WithPathsThatMightBeTooLongAreRefused) {
    EXPECT_NO_THROW(make_graph("grid", 2, weights_up_to(floyd::kMaxDistance)));
    EXPECT_THROW(make_graph("grid", 3, weights_up_to(floyd::kMaxDistance)), course::UsageError);
    EXPECT_THROW(make_graph("grid", 2, weights_up_to(floyd::kMaxDistance, true)),
                 course::UsageError);
    EXPECT_THROW(make_graph("grid", floyd::kMaxVertices + 1, {}), course::UsageError);
    EXPECT_THROW(make_graph("torus", 9, {}), course::UsageError);
}

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

TEST_F(GraphFile, MatrixMarketIsDirectedFromOneUnlessItIsSymmetric) {
    const std::string general =
        "%%MatrixMarket matrix coordinate integer general\n% a comment\n3 3 3\n1 2 7\n2 3 1\n"
        "3 3 5\n";
    EXPECT_EQ(read("a.mtx", general).distances,
              (std::vector<Distance>{0, 7, kInf, kInf, 0, 1, kInf, kInf, 0}));
    EXPECT_EQ(read_graph(folder_ / "a.mtx", 0).first_vertex, 1);
    // The first line counts, not the name.
    const Input input = read(
        "a.gr", "%%MatrixMarket matrix coordinate pattern symmetric\r\n3 3 2\r\n2 1\r\n3 2\r\n");
    EXPECT_EQ(input.distances, (std::vector<Distance>{0, 1, kInf, 1, 0, 1, kInf, 1, 0}));
    EXPECT_EQ(
        read("b.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 3.0\n").distances,
        (std::vector<Distance>{0, 3, kInf, 0}));
    const std::string begin = "%%MatrixMarket matrix ";
    const std::pair<std::string, const char*> faults[] = {
        {begin + "array real general\n2 2\n1\n",
         ":1: 'array' in the line %%MatrixMarket; a graph "
         "has coordinate"},
        {begin + "coordinate complex general\n2 2 1\n1 1 0 0\n", ":1: 'complex' in"},
        {begin + "coordinate real skew-symmetric\n2 2 1\n1 1 0\n", ":1: 'skew-symmetric' in"},
        {begin + "coordinate real general\n2 3 1\n1 1 0\n", ":2: the matrix of a graph is square"},
        {begin + "coordinate real general\n2 2 1\n1 2 0.5\n", ":3: weight '0.5' is not an integer"},
        {begin + "coordinate real general\n2 2 1\n1 2\n",
         ":3: 2 fields where 3 are expected: ROW "
         "COLUMN VALUE"},
        {begin + "coordinate pattern general\n2 2 2\n1 2\n", ":3: the file ends after 1 of the 2"},
        {"2 2 1\n1 2 3\n", ":1: a name that ends in .mtx is of a Matrix Market file"}};
    for (const auto& [content, message] : faults) {
        const std::string error = error_of("a.mtx", content);
        EXPECT_EQ(error.rfind(std::string("a.mtx") + message, 0), 0U) << content << " -> " << error;
    }
}

TEST_F(GraphFile, ListsWithoutWeightsAreDirectedUnlessTheirCommentsSayOtherwise) {
    const std::string edges = "0\t1\n1\t2\n";
    const std::vector<Distance> one_way = {0, 1, kInf, kInf, 0, 1, kInf, kInf, 0};
    EXPECT_EQ(read("snap.txt", "# Directed graph: own\n# FromNodeId\tToNodeId\n" + edges).distances,
              one_way);
    EXPECT_EQ(read("edges.csv", "source,target\r\n" + edges).distances, one_way);
    EXPECT_EQ(read("graph", edges).distances, one_way);
    EXPECT_EQ(read("snap.txt", "# Undirected graph: own\n" + edges).distances,
              (std::vector<Distance>{0, 1, kInf, 1, 0, 1, kInf, 1, 0}));
}

// The first note says as what the file is read, and why.
TEST_F(GraphFile, NotesNameTheFormatAndAVertexThatNoEdgeNames) {
    const std::array<const char*, 3> kFiles[] = {
        {"a.GR", "p sp 2 1\na 1 2 3\n", "read as DIMACS: its name ends in .gr"},
        {"roads.txt", "c roads\np sp 2 1\na 1 2 3\n",
         "read as DIMACS: its first line begins with `c`"},
        {"a.txt", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n",
         "read as Matrix Market: its first line says so"},
        {"a.CSV", "0,1,3\n", "read as a list of edges: its name ends in .csv"},
        {"a.txt", "from to weight\n0 1 3\n", "read as a list of edges: it has a header row"},
        {"a.txt", "0 1\n", "read as a list of edges that weigh 1: its first line has two numbers"},
        {"pmed1.txt", "2 1 1\n1 2 3\n",
         "read as OR-Library p-median: its name ends in .txt; a list of edges has a header row, or "
         "a name that ends in .csv"}};
    for (const auto& [name, content, note] : kFiles) {
        const std::string path = folder_.write(name, content);
        EXPECT_EQ(read_graph(path, 0).notes, (std::vector<std::string>{path + ": " + note}));
    }
    const std::string path = folder_.write("from_one.csv", "from,to,weight\n1,2,3\n");
    const auto notes = read_graph(path, 0).notes;
    ASSERT_EQ(notes.size(), 2U);
    EXPECT_EQ(notes[1].rfind(path + ": no edge names vertex 0, which is isolated", 0), 0U);
}

TEST_F(GraphFile, EdgesFromAVertexToItselfAreOnNoPath) {
    EXPECT_EQ(read("a.gr", "p sp 2 3\na 1 1 9\na 1 2 3\na 2 2 0\n").distances,
              (std::vector<Distance>{0, 3, kInf, 0}));
    EXPECT_EQ(read("pmed", "2 2 1\n1 1 9\n1 2 3\n").distances, (std::vector<Distance>{0, 3, 3, 0}));
    EXPECT_EQ(read("e.csv", "0,0,536870911\n0,1,3\n").distances,
              (std::vector<Distance>{0, 3, kInf, 0}));
}

TEST_F(GraphFile, FaultsNameTheirLine) {
    const std::pair<const char*, const char*> csv_faults[] = {
        {"0,1", ":2: 2 fields where 3 are expected: from to weight; the line is '0,1'"},
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
        {"3,3,-2", ":2: an edge from vertex 3 to itself has the negative weight -2"},
        {"from,to,weight", ":2: vertex 'from' is not a number"}};
    for (const auto& [line, message] : csv_faults) {
        const std::string error = error_of("e.csv", std::string("0,1,1\n") + line + "\n0,2,1\n");
        EXPECT_EQ(error.rfind(std::string("e.csv") + message, 0), 0U) << line << " -> " << error;
    }
    EXPECT_EQ(error_of("e.csv", ""), "e.csv: holds no data");
    EXPECT_EQ(
        error_of("e.csv", "from,to,weight\n"),
        "e.csv:1: the file ends after its header row (read as a list of edges: its name ends in "
        ".csv)");

    const std::pair<const char*, const char*> dimacs_faults[] = {
        {"", ": holds no data"},
        {"c nothing\n", ":1: the file ends without a line `p sp"},
        {"a 1 2 3\np sp 3 1\n", ":1: an edge before the line `p sp"},
        {"p sp 3 1\np sp 3 1\na 1 2 3\n", ":2: a second `p` line"},
        {"p max 3 1\na 1 2 3\n", ":1: the problem must be `sp`"},
        {"p sp 3\na 1 2 3\n", ":1: 3 fields where 4 are expected"},
        {"p sp 0 1\na 1 2 3\n", ":1: number of vertices '0' is below 1"},
        {"p sp 1000001 1\n", ":1: number of vertices '1000001' is above 1000000"},
        {"p sp 3 0\n", ":1: number of edges '0' is below 1"},
        {"p sp 3 2\na 1 2 3\n",
         ":2: the file ends after 1 of the 2 edges that the header announces"},
        {"p sp 3 1\na 1 2 3\na 2 3 4\n", ":3: more edges than the 1 that the header announces"},
        {"p sp 3 1\na 0 2 3\n", ":2: vertex '0' is below 1"},
        {"p sp 3 1\na 1 4 3\n", ":2: vertex '4' is above 3"},
        {"p sp 3 1\na 2 2 -3\n", ":2: an edge from vertex 2 to itself has the negative weight"},
        {"p sp 3 1\na 1 2\n", ":2: 3 fields where 4 are expected: a FROM TO WEIGHT"},
        {"p sp 3 1\na 1 2 0.5\n", ":2: weight '0.5' is not an integer"},
        {"p sp 3 1\ne 1 2 3\n", ":2: a line must start with `c`, `p` or `a`, not with 'e'"}};
    for (const auto& [content, message] : dimacs_faults) {
        const std::string error = error_of("a.gr", content);
        EXPECT_EQ(error.rfind(std::string("a.gr") + message, 0), 0U) << content << " -> " << error;
    }

    const std::pair<const char*, const char*> p_median_faults[] = {
        {"", ": holds no data"},
        {"3 2 1 1\n1 2 3\n", ":1: 4 fields where 3 are expected: VERTICES EDGES P"},
        {"0 1 5\n1 2 3\n",
         ":1: number of vertices '0' is below 1 (read as OR-Library p-median: its name ends in "
         "nothing known; a list of edges has a header row, or a name that ends in .csv)"},
        {"3 2\n1 2 3\n",
         ":2: 3 fields where 2 are expected: from to; the line is '1 2 3' (read as a list of edges "
         "that weigh 1: its first line has two numbers)"},
        {"3 2 4\n1 2 3\n", ":1: number of medians '4' is above 3"},
        {"3 0 1\n", ":1: number of edges '0' is below 1"},
        {"3 2 1\n1 2 3\n", ":2: the file ends after 1 of the 2 edges that the header announces"},
        {"3 1 1\n1 2 3\n2 3 4\n", ":3: more edges than the 1 that the header announces"},
        {"3 1 1\n1 2 -3\n", ":2: weight '-3' is below 0"},
        {"3 1 1\n1 4 3\n", ":2: vertex '4' is above 3"},
        {"3 1 1\n1 2 3 4\n", ":2: 4 fields where 3 are expected: FROM TO COST"}};
    for (const auto& [content, message] : p_median_faults) {
        const std::string error = error_of("pmed", content);
        EXPECT_EQ(error.rfind(std::string("pmed") + message, 0), 0U) << content << " -> " << error;
    }
}

TEST_F(GraphFile, WithPathsThatMightBeTooLongAreRefused) {
    // 0 -> 1 -> 2: no simple path contains both of these edges and the edge out of 2.
    EXPECT_EQ(error_of("e.csv", "0,1,300000000\n1,2,236870911\n2,0,236870911\n"), "nothing");
    EXPECT_EQ(error_of("e.csv", "0,1,300000000\n1,2,-236870912\n2,0,236870912\n"),
              "e.csv: a path may be 536870912 long, above the limit of 536870911");
    EXPECT_THROW(read_graph("no/such/file.csv", 0), course::InputError);
    EXPECT_THROW(read_graph(folder_.path(), 0), course::InputError);
}

}  // namespace
}  // namespace floyd_test
