// SPDX-License-Identifier: MIT
// The named graphs of chapter floyd.
#include "common/input/inputs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/input/random.hpp"
#include "problem/floyd.hpp"

namespace floyd {

using course::text;

namespace {

Vertex as_vertex(std::int64_t number) { return static_cast<Vertex>(number); }

std::vector<Distance> random_weights(std::int64_t count, std::int64_t largest,
                                     course::Random& random) {
    std::vector<Distance> weights(count);
    for (Distance& weight : weights) weight = static_cast<Distance>(random.below(largest + 1));
    return weights;
}

// sums[i] is the sum of the first i weights.
std::vector<std::int64_t> sums_of(const std::vector<Distance>& weights) {
    std::vector<std::int64_t> sums(weights.size() + 1);
    std::partial_sum(weights.begin(), weights.end(), sums.begin() + 1, std::plus<std::int64_t>());
    return sums;
}

void make_random(Graph& graph, const GraphOptions& options, course::Random random) {
    // The generator is copied: each call lists the same edges.
    graph.for_each_edge = [count = graph.count, options, random](const AddEdge& add) {
        course::Random draws = random;
        for (std::int64_t from = 0; from < count; ++from) {
            for (std::int64_t to = 0; to < count; ++to) {
                if (to == from || draws.uniform() >= options.density) continue;
                add(as_vertex(from), as_vertex(to),
                    static_cast<Distance>(draws.below(options.max_weight + 1)));
            }
        }
    };
}

void make_grid(Graph& graph, const GraphOptions& options, course::Random random) {
    const std::int64_t count = graph.count;
    auto width = static_cast<std::int64_t>(std::sqrt(static_cast<double>(count)));
    while (width * width < count) ++width;
    const std::int64_t height = (count - 1) / width + 1;
    const auto across = random_weights(width, options.max_weight, random);
    const auto down = random_weights(height, options.max_weight, random);
    graph.for_each_edge = [count, width, across, down](const AddEdge& add) {
        const auto add_both = [&add](std::int64_t a, std::int64_t b, Distance weight) {
            add(as_vertex(a), as_vertex(b), weight);
            add(as_vertex(b), as_vertex(a), weight);
        };
        for (std::int64_t cell = 0; cell < count; ++cell) {
            if ((cell + 1) % width != 0 && cell + 1 < count) {
                add_both(cell, cell + 1, across[cell % width]);
            }
            if (cell + width < count) add_both(cell, cell + width, down[cell / width]);
        }
    };
    // First along a row and then along a column, or the other way round: one of the two avoids the
    // missing end of the last row.
    graph.known_distance = [width, x = sums_of(across), y = sums_of(down)](Vertex a, Vertex b) {
        return std::abs(x[b % width] - x[a % width]) + std::abs(y[b / width] - y[a / width]);
    };
}

void make_cycle(Graph& graph, const std::vector<Distance>& weights) {
    const std::int64_t count = graph.count;
    graph.for_each_edge = [count, weights](const AddEdge& add) {
        for (std::int64_t from = 0; from < count && count > 1; ++from) {
            add(as_vertex(from), as_vertex((from + 1) % count), weights[from]);
        }
    };
    graph.known_distance = [sums = sums_of(weights)](Vertex from, Vertex to) {
        return sums[to] - sums[from] + (to < from ? sums.back() : 0);
    };
}

// The longest path leaves out the last edge, whose weight is 0. A kernel may take a distance of
// kMaxDistance for infinity.
void make_longest_path(Graph& graph, const GraphOptions& options, course::Random random) {
    if (options.negative) {
        throw course::UsageError(
            text("--input ", kLongestPathName, ": with --negative, paths would be too long"));
    }
    auto weights = random_weights(graph.count, options.max_weight, random);
    weights.back() = 0;
    weights.front() += kMaxDistance - std::accumulate(weights.begin(), weights.end(), Distance{0});
    make_cycle(graph, weights);
}

// No vertex can be left out of the cycle: only the last steps see that it is negative.
void make_negative_cycle(Graph& graph, const GraphOptions& options, course::Random random) {
    if (graph.count < 2) {
        throw course::UsageError(
            text("--n ", graph.count, ": --input ", kNegativeCycleName, " needs two vertices"));
    }
    auto weights = random_weights(graph.count, options.max_weight, random);
    weights.back() = -1 - std::accumulate(weights.begin(), weights.end() - 1, Distance{0});
    graph.for_each_edge = [count = graph.count, weights](const AddEdge& add) {
        for (std::int64_t from = 0; from < count; ++from) {
            add(as_vertex(from), as_vertex((from + 1) % count), weights[from]);
        }
    };
}

void make_hypercube(Graph& graph, const GraphOptions& options, course::Random random) {
    constexpr int kBits = 31;
    const std::int64_t count = graph.count;
    const auto weights = random_weights(kBits, options.max_weight, random);
    graph.for_each_edge = [count, weights](const AddEdge& add) {
        for (std::int64_t from = 0; from < count; ++from) {
            for (int bit = 0; bit < kBits; ++bit) {
                const std::int64_t to = from ^ (std::int64_t{1} << bit);
                if (to < count) add(as_vertex(from), as_vertex(to), weights[bit]);
            }
        }
    };
    // A path that clears bits first and then sets bits meets no number above both of its ends.
    graph.known_distance = [weights](Vertex from, Vertex to) {
        std::int64_t distance = 0;
        for (int bit = 0; bit < kBits; ++bit) {
            if (((from ^ to) >> bit & 1) != 0) distance += weights[bit];
        }
        return distance;
    };
}

void make_complete(Graph& graph, const GraphOptions& options, course::Random random) {
    const auto points = random_weights(graph.count, options.max_weight, random);
    graph.known_distance = [points](Vertex from, Vertex to) -> std::int64_t {
        return std::abs(points[from] - points[to]);
    };
    graph.for_each_edge = [count = graph.count, points](const AddEdge& add) {
        for (std::int64_t from = 0; from < count; ++from) {
            for (std::int64_t to = 0; to < count; ++to) {
                if (from == to) continue;
                add(as_vertex(from), as_vertex(to), std::abs(points[from] - points[to]));
            }
        }
    };
}

// Adds p(from) - p(to) to each weight. Along a path, all p cancel out except those of its two ends;
// along a cycle, all cancel out.
void add_potentials(Graph& graph, const GraphOptions& options, course::Random& random) {
    const auto potentials = random_weights(graph.count, options.max_weight, random);
    graph.for_each_edge = [edges = std::move(graph.for_each_edge), potentials](const AddEdge& add) {
        edges([&](Vertex from, Vertex to, Distance weight) {
            add(from, to, weight + potentials[from] - potentials[to]);
        });
    };
    if (!graph.known_distance) return;
    graph.known_distance = [distance = std::move(graph.known_distance), potentials](
                               Vertex from, Vertex to) -> std::int64_t {
        return distance(from, to) + potentials[from] - potentials[to];
    };
}

}  // namespace

Graph make_graph(std::string_view name, std::int64_t count, const GraphOptions& options) {
    if (count > kMaxVertices) {
        throw course::UsageError(
            text("--n ", count, ": there may be at most ", kMaxVertices, " vertices"));
    }
    const std::int64_t largest = options.max_weight * (options.negative ? 2 : 1);
    const std::int64_t hops = std::max<std::int64_t>(count - 1, 1);
    // The last edge of a negative cycle is 1 less than minus the sum of all others.
    const Distance limit = kMaxDistance - (name == kNegativeCycleName ? 1 : 0);
    if (largest > limit / hops) {
        throw course::UsageError(text("--max-weight ", options.max_weight, ": ", hops,
                                      " edges of up to ", largest, " may add up to more than ",
                                      limit));
    }
    course::Random random(options.seed);
    Graph graph;
    graph.count = count;
    if (name == "random") {
        make_random(graph, options, random);
    } else if (name == "grid") {
        make_grid(graph, options, random);
    } else if (name == "cycle") {
        make_cycle(graph, random_weights(count, options.max_weight, random));
    } else if (name == kLongestPathName) {
        make_longest_path(graph, options, random);
    } else if (name == "hypercube") {
        make_hypercube(graph, options, random);
    } else if (name == "complete") {
        make_complete(graph, options, random);
    } else if (name == kNegativeCycleName) {
        make_negative_cycle(graph, options, random);
    } else {
        throw course::UsageError(text("--input ", name, ": there is no such input"));
    }
    if (options.negative) {
        course::Random other(~options.seed);  // independent of how many numbers the graph drew
        add_potentials(graph, options, other);
    }
    return graph;
}

Input make_input(const Graph& graph) {
    const std::int64_t count = graph.count;
    Input input;
    input.count = count;
    input.distances.assign(input.cells(), kInfinity);
    input.next_hops.assign(input.cells(), kNoHop);
    for (std::int64_t i = 0; i < count; ++i) {
        input.distances[i * count + i] = 0;
        input.next_hops[i * count + i] = as_vertex(i);
    }
    graph.for_each_edge([&](Vertex from, Vertex to, Distance weight) {
        const std::int64_t cell = from * count + to;
        if (!graph.last_edge_wins && weight >= input.distances[cell]) return;
        input.distances[cell] = weight;
        input.next_hops[cell] = to;
    });
    return input;
}

}  // namespace floyd
