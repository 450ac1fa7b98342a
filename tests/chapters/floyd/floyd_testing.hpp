// SPDX-License-Identifier: MIT
// What several tests of chapter floyd need: graphs, right answers, and files.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "common/base/error.hpp"
#include "problem/floyd.hpp"
#include "tests/common/scratch_folder.hpp"

namespace floyd_test {

using course_test::message_of, course_test::ScratchFolder;
using floyd::Distance, floyd::Graph, floyd::GraphOptions, floyd::Input, floyd::kInfinity;
using floyd::kNoHop, floyd::make_graph, floyd::make_input, floyd::Output, floyd::read_graph;
using floyd::Verifier, floyd::Vertex;

// Bellman-Ford from each vertex, straight from the definition: distances only, in 64 bits.
inline std::vector<std::int64_t> distances_of(const Input& input) {
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

// An answer that must pass: the three loops, with explicit tests for infinity.
inline Output solve(const Input& input) {
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

inline GraphOptions weights_up_to(std::int64_t max_weight, bool negative = false) {
    GraphOptions options;
    options.max_weight = max_weight;
    options.negative = negative;
    return options;
}

inline Graph graph_of(std::int64_t count, std::vector<std::array<int, 3>> edges) {
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

}  // namespace floyd_test
