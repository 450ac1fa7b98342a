// SPDX-License-Identifier: MIT
// The oracle of chapter floyd: shares no code with the stages.
#include <algorithm>
#include <limits>
#include <mutex>
#include <optional>

#include "common/base/text.hpp"
#include "common/input/parallel_ranges.hpp"
#include "common/input/random.hpp"
#include "problem/floyd.hpp"

namespace floyd {

using course::text;

namespace {

constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max() / 4;

// The fault of the first cell, no matter which thread finds a fault first.
class FirstFault {
  public:
    void add(std::int64_t cell, const std::string& message) {
        const std::lock_guard lock(mutex_);
        if (!message_ || cell < cell_) {
            cell_ = cell;
            message_ = message;
        }
    }
    const std::optional<std::string>& message() const { return message_; }

  private:
    std::mutex mutex_;
    std::int64_t cell_ = 0;
    std::optional<std::string> message_;
};

// A cycle along `parents` (each vertex's predecessor, or kNoHop), in the order of the edges, with
// the first vertex again at the end. Empty if there is none.
std::vector<Vertex> find_cycle(const std::vector<Vertex>& parents) {
    std::vector<std::int64_t> walks(parents.size(), -1);  // the walk that visited it
    for (std::size_t start = 0; start < parents.size(); ++start) {
        Vertex v = static_cast<Vertex>(start);
        while (v != kNoHop && walks[v] < 0) {
            walks[v] = static_cast<std::int64_t>(start);
            v = parents[v];
        }
        if (v == kNoHop || walks[v] != static_cast<std::int64_t>(start)) continue;
        std::vector<Vertex> cycle = {v};
        do {
            cycle.push_back(parents[cycle.back()]);
        } while (cycle.back() != v);
        std::reverse(cycle.begin(), cycle.end());
        return cycle;
    }
    return {};
}

struct BellmanFord {
    // The distance of each vertex from the nearest vertex, which may be itself: at most 0. With
    // them, w(u,v) + potential(u) - potential(v) is not negative for any edge.
    std::vector<std::int64_t> potentials;
    std::vector<Vertex> negative_cycle;  // empty if there is none; then the potentials are right
};

// In rounds: each round uses all edges out of the vertices that came nearer in the round before. A
// cycle of predecessors is a negative cycle (Cherkassky and Goldberg 1999). While there is none,
// paths are simple, so the rounds end.
BellmanFord run_bellman_ford(const Input& input) {
    const std::int64_t count = input.count;
    BellmanFord result;
    result.potentials.assign(count, 0);
    std::vector<Vertex> parents(count, kNoHop);
    std::vector<Vertex> active(count);
    for (std::int64_t v = 0; v < count; ++v) active[v] = static_cast<Vertex>(v);
    while (!active.empty()) {
        std::vector<std::int64_t> nearest = result.potentials;
        std::mutex mutex;
        course::parallel_ranges(
            static_cast<std::int64_t>(active.size()), [&](std::int64_t begin, std::int64_t end) {
                std::vector<std::int64_t> mine = result.potentials;
                std::vector<Vertex> my_parents(count, kNoHop);
                for (std::int64_t a = begin; a < end; ++a) {
                    const Vertex u = active[a];
                    const Distance* weights = &input.distances[u * count];
                    for (std::int64_t v = 0; v < count; ++v) {
                        if (weights[v] == kInfinity || v == u) continue;
                        if (result.potentials[u] + weights[v] < mine[v]) {
                            mine[v] = result.potentials[u] + weights[v];
                            my_parents[v] = u;
                        }
                    }
                }
                const std::lock_guard lock(mutex);
                for (std::int64_t v = 0; v < count; ++v) {
                    // Of equal paths, the smallest parent wins: so the result does not depend on
                    // how the range was cut.
                    if (mine[v] < nearest[v] ||
                        (mine[v] == nearest[v] && my_parents[v] != kNoHop &&
                         my_parents[v] < parents[v] && nearest[v] < result.potentials[v])) {
                        nearest[v] = mine[v];
                        parents[v] = my_parents[v];
                    }
                }
            });
        active.clear();
        for (std::int64_t v = 0; v < count; ++v) {
            if (nearest[v] < result.potentials[v]) active.push_back(static_cast<Vertex>(v));
        }
        result.potentials = std::move(nearest);
        result.negative_cycle = find_cycle(parents);
        if (!result.negative_cycle.empty()) break;
    }
    return result;
}

// Distances from one vertex by Dijkstra's algorithm. The potentials make all weights non-negative.
// O(count^2), which a heap cannot improve in a dense graph.
std::vector<Distance> run_dijkstra(const Input& input, const std::vector<std::int64_t>& potentials,
                                   Vertex source) {
    struct Open {  // a vertex that is not settled; in one list, because each step reads them all
        std::int64_t reached;
        std::int64_t potential;
        Vertex vertex;
    };
    const std::int64_t count = input.count;
    std::vector<Distance> distances(count, kInfinity);
    std::vector<Open> open(count);
    for (std::int64_t v = 0; v < count; ++v) {
        open[v] = {v == source ? 0 : kFar, potentials[v], static_cast<Vertex>(v)};
    }
    std::size_t nearest = source;  // its place in `open`
    while (!open.empty() && open[nearest].reached < kFar) {
        const Open settled = open[nearest];
        open[nearest] = open.back();
        open.pop_back();
        distances[settled.vertex] =
            static_cast<Distance>(settled.reached - potentials[source] + settled.potential);
        const Distance* weights = &input.distances[settled.vertex * count];
        const std::int64_t base = settled.reached + settled.potential;
        std::int64_t least = kFar;
        nearest = 0;
        for (std::size_t place = 0; place < open.size(); ++place) {
            Open& other = open[place];
            const Distance weight = weights[other.vertex];
            const std::int64_t through =
                weight == kInfinity ? kFar : base + weight - other.potential;
            other.reached = std::min(other.reached, through);
            if (other.reached < least) {
                least = other.reached;
                nearest = place;
            }
        }
    }
    return distances;
}

}  // namespace

std::vector<Vertex> path_between(const Output& output, std::int64_t count, Vertex from, Vertex to) {
    if (output.next_hops[from * count + to] == kNoHop) return {};
    std::vector<Vertex> path = {from};
    while (path.back() != to) path.push_back(output.next_hops[path.back() * count + to]);
    return path;
}

std::vector<Vertex> find_negative_cycle(const Input& input) {
    return run_bellman_ford(input).negative_cycle;
}

struct Verifier::Implementation {
    Implementation(const Graph& graph, const Input& input, std::uint64_t seed);

    // Each check returns what is wrong, or nothing.
    std::optional<std::string> check_paths(const Output& output) const;
    std::optional<std::string> check_known_distances(const Output& output) const;
    std::optional<std::string> check_sampled_distances(const Output& output) const;

    // One target's column of the matrices, and the weight of each vertex's hop.
    struct Column {
        explicit Column(std::int64_t count) : distances(count), hops(count), weights(count) {}
        std::vector<Distance> distances;
        std::vector<Vertex> hops;
        std::vector<Distance> weights;
    };
    std::optional<std::string> read_cell(const Output& output, Vertex from, Vertex to,
                                         Column& column) const;
    std::optional<std::string> walk_to(Vertex to, const Column& column) const;

    const Graph& graph;
    const Input& input;
    const std::int64_t count;
    std::vector<Vertex> negative_cycle;
    std::vector<Vertex> sources;
    std::vector<std::vector<Distance>> source_distances;
};

Verifier::Implementation::Implementation(const Graph& given_graph, const Input& given_input,
                                         std::uint64_t seed)
    : graph(given_graph), input(given_input), count(given_input.count) {
    std::vector<std::int64_t> potentials(count, 0);
    if (std::any_of(input.distances.begin(), input.distances.end(),
                    [](Distance weight) { return weight < 0; })) {
        BellmanFord result = run_bellman_ford(input);
        potentials = std::move(result.potentials);
        negative_cycle = std::move(result.negative_cycle);
        if (!negative_cycle.empty()) return;
    }
    if (count <= kMaxAllSources) {
        for (std::int64_t v = 0; v < count; ++v) sources.push_back(static_cast<Vertex>(v));
    } else {
        course::Random random(seed);
        sources = {0, static_cast<Vertex>(count - 1)};
        while (static_cast<std::int64_t>(sources.size()) < kSampledSources) {
            sources.push_back(static_cast<Vertex>(random.below(count)));
        }
    }
    source_distances.resize(sources.size());
    course::parallel_ranges(
        static_cast<std::int64_t>(sources.size()), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t s = begin; s < end; ++s) {
                source_distances[s] = run_dijkstra(input, potentials, sources[s]);
            }
        });
}

// Checks one cell for what can be wrong without a look at other cells.
std::optional<std::string> Verifier::Implementation::read_cell(const Output& output, Vertex from,
                                                               Vertex to, Column& column) const {
    const Distance distance = output.distances[from * count + to];
    const Vertex hop = output.next_hops[from * count + to];
    column.distances[from] = distance;
    column.hops[from] = hop;
    column.weights[from] = 0;
    const auto where = [&] { return text("from ", from, " to ", to, ": "); };
    if (from == to) {
        if (distance != 0) return text(where(), "the distance is ", distance, ", not 0");
        if (hop != to) return text(where(), "the next hop is ", hop);
        return std::nullopt;
    }
    if ((distance == kInfinity) != (hop == kNoHop)) {
        return text(where(), "the distance is ", distance, ", but the next hop is ", hop);
    }
    if (hop == kNoHop) return std::nullopt;
    if (hop < 0 || hop >= count || hop == from ||
        input.distances[from * count + hop] == kInfinity) {
        return text(where(), "the next hop is ", hop, ", but there is no edge to it");
    }
    column.weights[from] = input.distances[from * count + hop];
    return std::nullopt;
}

// Walks from every vertex to `to`. Each part of the way is walked once: where an earlier walk came
// by, the rest is known.
std::optional<std::string> Verifier::Implementation::walk_to(Vertex to,
                                                             const Column& column) const {
    enum State : std::uint8_t { kNew, kOnThisWalk, kDone };
    std::vector<State> states(count, kNew);
    std::vector<std::int64_t> lengths(count, 0);
    std::vector<Vertex> walk;
    states[to] = kDone;
    for (std::int64_t from = 0; from < count; ++from) {
        if (column.hops[from] == kNoHop) continue;
        Vertex v = static_cast<Vertex>(from);
        while (states[v] == kNew && column.hops[v] != kNoHop) {
            states[v] = kOnThisWalk;
            walk.push_back(v);
            v = column.hops[v];
        }
        if (states[v] == kOnThisWalk) {
            return text("from ", from, " to ", to, ": the path comes back to ", v);
        }
        if (states[v] == kNew) return text("from ", from, " to ", to, ": the path ends at ", v);
        std::int64_t length = lengths[v];
        for (; !walk.empty(); walk.pop_back()) {
            const Vertex u = walk.back();
            length += column.weights[u];
            if (length != column.distances[u]) {
                return text("from ", u, " to ", to, ": the distance is ", column.distances[u],
                            ", but the edges of the path add up to ", length);
            }
            lengths[u] = length;
            states[u] = kDone;
        }
    }
    return std::nullopt;
}

// Checks as many columns at a time as share a cache line.
std::optional<std::string> Verifier::Implementation::check_paths(const Output& output) const {
    constexpr std::int64_t kColumns = 16;
    FirstFault fault;
    course::parallel_ranges((count - 1) / kColumns + 1, [&](std::int64_t begin, std::int64_t end) {
        std::vector<Column> columns(kColumns, Column(count));
        for (std::int64_t first = begin * kColumns; first < std::min(end * kColumns, count);
             first += kColumns) {
            const std::int64_t last = std::min(first + kColumns, count);
            for (std::int64_t from = 0; from < count; ++from) {
                for (std::int64_t to = first; to < last; ++to) {
                    const auto wrong = read_cell(output, static_cast<Vertex>(from),
                                                 static_cast<Vertex>(to), columns[to - first]);
                    if (wrong) return fault.add(to, *wrong);
                }
            }
            for (std::int64_t to = first; to < last; ++to) {
                const auto wrong = walk_to(static_cast<Vertex>(to), columns[to - first]);
                if (wrong) return fault.add(to, *wrong);
            }
        }
    });
    return fault.message();
}

std::optional<std::string> Verifier::Implementation::check_known_distances(
    const Output& output) const {
    FirstFault fault;
    course::parallel_ranges(count, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t from = begin; from < end; ++from) {
            for (std::int64_t to = 0; to < count; ++to) {
                const std::int64_t known =
                    graph.known_distance(static_cast<Vertex>(from), static_cast<Vertex>(to));
                const std::int64_t cell = from * count + to;
                if (output.distances[cell] == known) continue;
                return fault.add(cell,
                                 text("from ", from, " to ", to, ": the distance is ",
                                      output.distances[cell], ", by the graph's formula ", known));
            }
        }
    });
    return fault.message();
}

std::optional<std::string> Verifier::Implementation::check_sampled_distances(
    const Output& output) const {
    for (std::size_t s = 0; s < sources.size(); ++s) {
        for (std::int64_t to = 0; to < count; ++to) {
            const Distance distance = output.distances[sources[s] * count + to];
            if (distance == source_distances[s][to]) continue;
            return text("from ", sources[s], " to ", to, ": the distance is ", distance,
                        ", by Dijkstra's algorithm ", source_distances[s][to], " (", kInfinity,
                        " means no path)");
        }
    }
    return std::nullopt;
}

Verifier::Verifier(const Graph& graph, const Input& input, std::uint64_t seed)
    : implementation_(std::make_unique<Implementation>(graph, input, seed)) {}
Verifier::~Verifier() = default;

course::Verdict Verifier::verify(const Output& output) {
    const Implementation& oracle = *implementation_;
    if (!oracle.negative_cycle.empty()) {
        if (output.negative_cycle) return {true, "the negative cycle was found"};
        return {false, "there is a negative cycle, but the stage does not report it"};
    }
    if (output.negative_cycle) {
        return {false, "the stage reports a negative cycle, but there is none"};
    }
    if (output.distances.size() != oracle.input.distances.size() ||
        output.next_hops.size() != oracle.input.next_hops.size()) {
        return {false, "the output and the input differ in the number of vertices"};
    }
    if (const auto fault = oracle.check_paths(output)) return {false, *fault};
    if (const auto fault = oracle.check_sampled_distances(output)) return {false, *fault};
    std::string formula;
    if (oracle.graph.known_distance) {
        if (const auto fault = oracle.check_known_distances(output)) return {false, *fault};
        formula = "; all distances equal the graph's formula";
    }
    return {true, text("all paths walked, with the right lengths; distances from ",
                       oracle.sources.size(), oracle.sources.size() == 1 ? " vertex" : " vertices",
                       " equal Dijkstra's", formula)};
}

}  // namespace floyd
