// SPDX-License-Identifier: MIT
// Floyd-Warshall: the shortest paths between all pairs of vertices of a directed, weighted graph.
//
// D is a matrix of distances, at first the weights of the edges: D[i][i] = 0, infinity where there
// is no edge. Step k = 0, 1, ... lets paths lead through vertex k as well:
//
//   D[i][j] = min(D[i][j], D[i][k] + D[k][j])                                       (equation 7.1)
//
// N[i][j] is the next hop: the vertex after i on the path to j. At first it is j where there is an
// edge; wherever D[i][j] becomes LESS, N[i][j] = N[i][k] (appendix E; not equation 7.2).
//
// Why that is all it takes, as long as no cycle is negative:
// - Step k changes neither row k nor column k: D[k][k] is 0, so D[i][k] + D[k][k] is not less than
//   D[i][k]. Whoever updates a cell in step k reads what nobody writes in it, in any order.
// - After step k, D[i][j] is the length of a shortest path over intermediate vertices up to k
//   (Floyd 1962), and the path recorded for it is simple. For if the paths to k and from k had
//   vertex m in common, i to m to j without the detour to k would be no longer, and known before:
//   then nothing was less.
// - Walking along next hops ends, even where edges weigh 0 and paths tie. Let T[i][j] be the last
//   step that changed the cell, and u = N[i][j]. The path of the cell over u is a shortest one, so
//   its rest is one from u, known by then: T[u][j] <= T[i][j], and T never grows on the way to j.
//   In a loop it would have to stay at some k. But cells (x, j) that step k changed lead where
//   (x, k) led: there was a loop on the way to k before step k, and before the first there is none.
//   A change at a tie would break the middle step: "less", never "less or equal".
// - And its edges add up to D[i][j], because w(i,u) + D[u][j] = D[i][j] at each of its vertices.
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

// No path of any input is longer, nor shorter than its negative; inputs for which it cannot be
// ruled out are refused.
inline constexpr Distance kMaxDistance = (1 << 29) - 1;

// No path. Twice this fits 32 bits, and less any distance it is still above kMaxDistance: the sum
// of two cells is a path's length exactly where it is at most kMaxDistance.
inline constexpr Distance kInfinity = (1 << 30) - 1;

inline constexpr Vertex kNoHop = -1;  // N[i][j] where there is no path; N[i][i] is i

// What a stage is asked to do: step through all vertices. Matrices are stored by rows: cell (i, j)
// is element i * count + j, an index of 64 bits.
struct Input {
    std::int64_t count = 0;  // of vertices
    std::vector<Distance> distances;  // before the first step: the weights
    std::vector<Vertex> next_hops;

    std::int64_t cells() const { return count * count; }
};

// What a stage answers. The matrices have the right size on entry. Where a distance from a vertex
// to itself falls below 0, the stage stops, and what the matrices hold does not matter.
struct Output {
    std::vector<Distance> distances;
    std::vector<Vertex> next_hops;
    bool negative_cycle = false;
};

// A stage: finds all paths, marking its phases.
using FindPaths = void (*)(const Input&, Output&, PhaseTimer&);

// The least that all stages must do: each step reads each distance and writes only what becomes
// less, and adds and compares once a cell.
inline course::Work least_work(const Input& input) {
    const double updates = static_cast<double>(input.cells()) * static_cast<double>(input.count);
    const double matrix = sizeof(Distance) * static_cast<double>(input.cells());
    return {.bytes = sizeof(Distance) * updates,
            .operations = 2.0 * updates,
            .working_set_bytes = matrix};
}

// main() of every stage. Returns the exit status (error.hpp).
int run_stage(int argc, char** argv, std::string_view stage_name, FindPaths find_paths);

// --- Graphs --------------------------------------------------------------------------------------

using AddEdge = std::function<void(Vertex from, Vertex to, Distance weight)>;

// Where the edges come from; the matrices are made of it once memory for them is known to be there.
struct Graph {
    std::int64_t count = 0;  // of vertices
    Vertex first_vertex = 0;  // how the source, and whoever asks for a path, calls vertex 0
    bool last_edge_wins = false;  // of several from one vertex to another; else the shortest
    std::function<void(const AddEdge&)> for_each_edge;
    // The distance between two vertices, where there is a formula for it; else empty.
    std::function<std::int64_t(Vertex from, Vertex to)> known_distance;
};

// The matrices before the first step, without results of earlier runs.
Input make_input(const Graph& graph);

// Memory ends long before; grids, and vertices as int, do not.
inline constexpr std::int64_t kMaxVertices = 1'000'000;

inline constexpr std::string_view kInputNames[] = {"random", "grid", "cycle", "hypercube",
                                                   "complete"};

// Of named graphs.
struct GraphOptions {
    double density = 0.5;  // of "random": the probability of each edge
    std::int64_t max_weight = 1000;  // at most; at least 0
    bool negative = false;  // adds p(from) - p(to), at most max_weight: no cycle's length changes
    std::uint64_t seed = 1;
};

// The edges of a named graph, from 0 to max_weight long:
//   random     each from each vertex to each other with probability `density`
//   grid       cells row by row, the last row as long as it comes, both ways between neighbours:
//              the gaps between two rows, or two columns, are all of one length
//   cycle      from each vertex to the next, and from the last to the first
//   hypercube  both ways between numbers of which one bit differs, as long as the bit says; any
//              count: of the numbers below it
//   complete   both ways between points on a line, as far as they are apart: no detour is shorter,
//              and many are as long
// All but random have a known distance. Errors: UsageError for more than kMaxVertices, and for
// weights with which a path might be longer than kMaxDistance.
Graph make_graph(std::string_view name, std::int64_t count, const GraphOptions& options);

// A file of edges, by its name's end:
//   .gr   DIMACS (9th implementation challenge): `c` comments, `p sp VERTICES EDGES`, then
//         `a FROM TO WEIGHT`; directed, vertices from 1
//   .csv  lines `from,to,weight`, with or without such a first line; directed, vertices from 0, as
//         many as the largest says, or `count` where that is not 0
//   else  OR-Library p-median: `VERTICES EDGES P`, then `FROM TO COST`; undirected, vertices from
//   1,
//         costs not negative, the last of several edges between two vertices counts
// Weights are integers. Errors: InputError naming file and line: a line that does not belong, a
// vertex out of range, an edge from a vertex to itself, a weight that is no integer or beyond
// kMaxDistance, another number of edges than announced, no edge at all; naming the file: paths that
// might be longer than kMaxDistance. UsageError: a `count` that the file contradicts.
Graph read_graph(const std::string& path, std::int64_t count);

// --- Paths and oracle ----------------------------------------------------------------------------

// The vertices from `from` to `to` along next hops, both included; empty where there is no path.
// Of a verified output only: elsewhere it may not end.
std::vector<Vertex> path_between(const Output& output, std::int64_t count, Vertex from, Vertex to);

// The vertices of a cycle of negative length, in order, the first one once more at the end; empty
// where there is none. Bellman-Ford from everywhere at once: shares no code with the stages.
std::vector<Vertex> find_negative_cycle(const Input& input);

// Verifies outputs of one input:
//   - every path, walked along its next hops, arrives, and its edges add up to its distance (all
//     cells in O(count^2): paths to one vertex are a tree);
//   - distances from all vertices up to kMaxAllSources, else from kSampledSources of them (the
//     first, the last, others by the seed), against Dijkstra's algorithm, after Bellman-Ford where
//     weights are negative (Johnson 1977): no path is shorter, and none is missing;
//   - all distances against the graph's formula, where it has one.
// A change of one integer never passes, unless it is the next hop of a path just as short.
class Verifier {
  public:
    static constexpr std::int64_t kMaxAllSources = 512;
    static constexpr std::int64_t kSampledSources = 32;

    // Both must live as long.
    Verifier(const Graph& graph, const Input& input, std::uint64_t seed);
    ~Verifier();
    course::Verdict verify(const Output& output);

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace floyd
