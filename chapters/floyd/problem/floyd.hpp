// SPDX-License-Identifier: MIT
// Floyd-Warshall: the shortest paths between all pairs of vertices of a directed, weighted graph.
//
// D is the matrix of distances. At first it holds the weights of the edges: D[i][i] = 0, and
// infinity where there is no edge. Step k = 0, 1, ... lets paths lead through vertex k as well:
//
//   D[i][j] = min(D[i][j], D[i][k] + D[k][j])                                       (equation 7.1)
//
// N[i][j] is the next hop: the vertex after i on the path to j. At first it is j where there is an
// edge. Wherever D[i][j] becomes LESS, N[i][j] = N[i][k] (appendix E; not equation 7.2).
//
// Why this is correct as long as no cycle is negative:
// - Step k changes neither row k nor column k: D[k][k] is 0, so D[i][k] + D[k][k] is not less than
//   D[i][k]. So no thread writes what another thread reads in step k, and any order is right.
// - After step k, D[i][j] is the length of a shortest path over intermediate vertices up to k
//   (Floyd 1962), and the recorded path is simple. Suppose that the paths to k and from k share a
//   vertex m. Then the path from i to m to j, without the detour to k, is no longer and is already
//   known; so the sum was not less, and nothing changed.
// - A walk along next hops ends, even where edges weigh 0 and paths tie. Let T[i][j] be the last
//   step that changed cell (i, j), and u = N[i][j]. The cell's path over u is a shortest one. Its
//   rest is a shortest path from u that was known by then. So T[u][j] <= T[i][j], and T never grows
//   on the way to j. In a loop, T would stay at some k. But every cell (x, j) that step k changed
//   leads where (x, k) led, so there would be a loop on the way to k before step k already. Before
//   the first step there is no loop. A change at a tie would break the middle of this argument:
//   that is why the test is "less", never "less or equal".
// - The edges of that walk add up to D[i][j], because w(i,u) + D[u][j] = D[i][j] at each vertex.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/harness/phase_timer.hpp"
#include "common/harness/problem.hpp"

namespace floyd {

using course::Phase;
using course::PhaseTimer;

using Distance = std::int32_t;
using Vertex = std::int32_t;

// No path of any input is longer than this, and none is shorter than its negative. Inputs that
// cannot promise this are refused.
inline constexpr Distance kMaxDistance = (1 << 29) - 1;

// The distance where there is no path. Twice this fits 32 bits. This plus any negative distance is
// still above kMaxDistance. So the sum of two cells is the length of a path exactly if it is at
// most kMaxDistance.
inline constexpr Distance kInfinity = (1 << 30) - 1;

inline constexpr Vertex kNoHop = -1;  // N[i][j] where there is no path; N[i][i] is i

// What a stage is asked to do. Matrices are stored by rows: cell (i, j) is element i * count + j,
// with an index of 64 bits.
struct Input {
    std::int64_t count = 0;  // of vertices
    std::vector<Distance> distances;  // before the first step: the weights of the edges
    std::vector<Vertex> next_hops;

    std::int64_t cells() const { return count * count; }
};

// What a stage answers. The matrices have the right size on entry. When the distance from a vertex
// to itself falls below 0, the stage sets negative_cycle and stops; the content of the matrices
// then does not matter.
struct Output {
    std::vector<Distance> distances;
    std::vector<Vertex> next_hops;
    bool negative_cycle = false;
};

// A stage: finds all paths, and marks its phases.
using FindPaths = void (*)(const Input&, Output&, PhaseTimer&);

// The least work of a stage that passes over the whole matrix in each step: it reads each distance,
// adds and compares once per cell, and writes only what becomes less. A stage that keeps tiles of
// the matrix for several steps moves fewer bytes and declares its own.
inline course::Work work_of_full_passes(const Input& input) {
    const double updates = static_cast<double>(input.cells()) * static_cast<double>(input.count);
    const double matrix = sizeof(Distance) * static_cast<double>(input.cells());
    return {.bytes = sizeof(Distance) * updates,
            .operations = 2.0 * updates,
            .working_set_bytes = matrix};
}

// The least work of a stage that passes over the matrix once per round of `pivots` steps. The
// operations are the same.
inline course::Work work_of_rounds(const Input& input, int pivots) {
    course::Work work = work_of_full_passes(input);
    const std::int64_t rounds = (input.count + pivots - 1) / pivots;
    work.bytes = static_cast<double>(rounds) * work.working_set_bytes;
    return work;
}

// main() of every stage. Returns the exit status (error.hpp).
int run_stage(int argc, char** argv, std::string_view stage_name, FindPaths find_paths);

// --- Graphs --------------------------------------------------------------------------------------

using AddEdge = std::function<void(Vertex from, Vertex to, Distance weight)>;

// Where the edges come from. The matrices are made from it after the check that they fit the
// memory.
struct Graph {
    std::int64_t count = 0;  // of vertices
    Vertex first_vertex = 0;  // the number that the file, and the user, give to vertex 0
    std::vector<std::string> notes;  // of the reader of the file
    bool last_edge_wins = false;  // of several edges between two vertices; else the shortest wins
    std::function<void(const AddEdge&)> for_each_edge;
    // The distance between two vertices, if there is a formula for it; else empty.
    std::function<std::int64_t(Vertex from, Vertex to)> known_distance;
};

// The matrices before the first step.
Input make_input(const Graph& graph);

// More than memory allows. Vertices of type int, and the grids of the kernels, would allow more.
inline constexpr std::int64_t kMaxVertices = 1'000'000;

// Graphs without a negative cycle.
inline constexpr std::string_view kInputNames[] = {"random", "grid", "cycle", "hypercube",
                                                   "complete"};
// A cycle on which the path once round is as long as a path may be.
inline constexpr std::string_view kLongestPathName = "longest-path";
// A graph that is one negative cycle. A stage passes if it reports the cycle.
inline constexpr std::string_view kNegativeCycleName = "negative-cycle";

// Of named graphs.
struct GraphOptions {
    double density = 0.5;  // of "random": the probability of each edge
    std::int64_t max_weight = 1000;  // edges weigh from 0 to this
    bool negative = false;  // adds p(from) - p(to), p at most max_weight: cycles keep their length
    std::uint64_t seed = 1;
};

// The edges of a named graph, with weights from 0 to max_weight:
//   random     from each vertex to each other vertex, with probability `density`
//   grid       a grid of cells, numbered row by row; the last row may be shorter. Edges lead both
//              ways between neighbours. All edges between the same two rows (or columns) weigh the
//              same
//   cycle      from each vertex to the next, and from the last to the first
//   hypercube  both ways between two numbers that differ in one bit; the bit decides the weight.
//              The vertices are the numbers below `count`, which may be any number
//   complete   both ways between all points of a line; the weight is their distance. No detour is
//              shorter, and many are equally long
//   longest-path    a cycle whose paths are up to kMaxDistance long, and no edge is negative
//   negative-cycle  a cycle whose last edge makes its length -1; the last steps find that
// All but random and negative-cycle have a known distance. Errors: UsageError for more than
// kMaxVertices, for weights with which a path could be longer than kMaxDistance, for longest-path
// with `negative`, and for negative-cycle with one vertex.
Graph make_graph(std::string_view name, std::int64_t count, const GraphOptions& options);

// A file of edges, by the rules of common/input/text_reader.hpp. Its first line, else the end of
// its name (in small letters or capitals), else its first row of fields decides the format; the
// graph's first note says which one and why.
//   Matrix Market  `%%MatrixMarket matrix coordinate`, then `ROWS COLUMNS ENTRIES`, and one entry
//         per edge; integer or real values are weights, entries of a pattern weigh 1; vertices
//         count from 1
//   .gr   DIMACS (9th implementation challenge): `c` comments, `p sp VERTICES EDGES`, then
//         `a FROM TO WEIGHT`; directed; vertices count from 1. Also with another name, if the first
//         line begins with `c` or `p`
//   .csv .tsv .el .wel .edges .edgelist  rows `from,to,weight`, maybe with a header row; directed;
//         vertices count from 0; their number is `count`, or, if that is 0, the largest vertex plus
//         1. Also with another name, if there is a header row
//   rows of two fields  the same, and each edge weighs 1, as in SNAP's lists; both ways if the
//         comments say "Undirected graph"
//   else  OR-Library p-median: `VERTICES EDGES P`, then `FROM TO COST`; undirected; vertices count
//         from 1; costs are not negative; of several edges between two vertices the last one counts
// Weights are integers. An edge from a vertex to itself is left out. Errors: InputError that names
// file, line and format, for an unexpected line, a vertex out of range, a negative edge from a
// vertex to itself, a weight that is not an integer or is beyond kMaxDistance, a number of edges
// other than announced, and no edge at all. InputError that names the file, for paths that could be
// longer than kMaxDistance. UsageError for a `count` that contradicts the file.
Graph read_graph(const std::string& path, std::int64_t count);

// --- Paths and oracle ----------------------------------------------------------------------------

// The vertices from `from` to `to` along the next hops, both included; empty if there is no path.
// For verified outputs only: on others the walk may not end.
std::vector<Vertex> path_between(const Output& output, std::int64_t count, Vertex from, Vertex to);

// The vertices of a cycle of negative length, in order, with the first vertex again at the end;
// empty if there is none. Uses Bellman-Ford from all vertices at once; shares no code with the
// stages.
std::vector<Vertex> find_negative_cycle(const Input& input);

// Verifies outputs of one input:
//   - every path is walked along its next hops: it must arrive, and its edges must add up to its
//     distance (all cells in O(count^2), because the paths to one vertex form a tree);
//   - distances are compared with Dijkstra's algorithm, so that no path is too long and none is
//     missing: from all vertices up to kMaxAllSources, else from kSampledSources of them (the
//     first, the last, and others chosen by the seed). If weights are negative, Bellman-Ford runs
//     first (Johnson 1977);
//   - all distances are compared with the graph's formula, if it has one.
// One changed integer never passes, unless it is the next hop of another path of the same length.
// If the graph has a negative cycle, an output passes exactly if it reports one.
class Verifier {
  public:
    static constexpr std::int64_t kMaxAllSources = 512;
    static constexpr std::int64_t kSampledSources = 32;

    // Graph and input must outlive the verifier.
    Verifier(const Graph& graph, const Input& input, std::uint64_t seed);
    ~Verifier();
    course::Verdict verify(const Output& output);

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace floyd
