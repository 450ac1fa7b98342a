// SPDX-License-Identifier: MIT
// The problem and main() of chapter floyd.
#include "problem/floyd.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <ostream>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/harness/command_line.hpp"
#include "common/input/inputs.hpp"
#include "common/input/numbers.hpp"

namespace floyd {

using course::text;

namespace {

// "3 -> 5 -> 3", with the vertex numbers of the graph's source.
std::string describe(const std::vector<Vertex>& path, Vertex first_vertex) {
    std::string result;
    for (const Vertex vertex : path) {
        if (!result.empty()) result += " -> ";
        result += std::to_string(std::int64_t{vertex} + first_vertex);
    }
    return result;
}

// Rows of integers, separated by commas; `empty` is written as `name`.
void write_matrix(std::ostream& out, const std::vector<std::int32_t>& matrix, std::int64_t count,
                  std::int32_t empty, std::string_view name, std::int32_t offset) {
    std::string line;
    for (std::int64_t i = 0; i < count; ++i) {
        line.clear();
        for (std::int64_t j = 0; j < count; ++j) {
            const std::int32_t value = matrix[i * count + j];
            if (j > 0) line += ',';
            if (value == empty) {
                line += name;
                continue;
            }
            course::append_number(line, value + offset);
        }
        line += '\n';
        out << line;
    }
}

class Floyd final : public course::Problem {
  public:
    explicit Floyd(FindPaths find_paths) : find_paths_(find_paths) {}

    std::string_view chapter() const override { return "floyd"; }
    std::string_view summary() const override {
        return "Floyd-Warshall: the shortest paths between all vertices of a graph";
    }
    std::string_view n_help() const override { return "vertices"; }
    std::string_view input_help() const override { return input_help_; }

    void add_options(course::CommandLine& command_line) override {
        command_line.add_real("--density", graph_options_.density,
                              "for random: the probability of each edge", 0, 1);
        command_line.add_integer("--max-weight", graph_options_.max_weight,
                                 "for named inputs: edges weigh from 0 to this", 0, kMaxDistance);
        command_line.add_flag(
            "--negative", graph_options_.negative,
            "for named inputs: also edges of negative weight, but no negative cycle");
        command_line.add_text("--path", path_, "print the path from one vertex to another: A,B");
        command_line_ = &command_line;
    }

    std::int64_t default_n(std::string_view engine, bool check) const override {
        if (check) return 100;
        if (engine == "gpu") return 1024;
        return engine == "cpu" ? 512 : 256;
    }
    // Of the stages that need most: both matrices padded to tiles of 128 x 128 cells; distances and
    // keys of 128 pivots, for two rounds and both directions, and each vertex's least.
    double device_bytes(std::int64_t n) const override {
        const std::int64_t tiles = (n - 1) / 128 + 1;  // n may be any number that --n takes
        const double padded = 128.0 * static_cast<double>(tiles);
        return 8.0 * padded * padded + 4.0 * padded * (8 * 128 + 4) + 4.0 * static_cast<double>(n);
    }
    // Input, output, and the distances that the oracle keeps for some vertices.
    double host_bytes(std::int64_t n) const override {
        return 16.0 * static_cast<double>(n) * static_cast<double>(n) +
               4096.0 * static_cast<double>(n);
    }

    void prepare(const course::StageOptions& options, const course::Backend&) override {
        input_name_ = options.input.empty() ? "random" : options.input;
        seed_ = options.seed;
        graph_options_.seed = options.seed;
        if (is_named()) {
            refuse_given("--density", input_name_ != "random");
            graph_ = make_graph(input_name_, options.n, graph_options_);
        } else {
            for (const char* flag : {"--density", "--max-weight", "--negative"}) {
                refuse_given(flag, true);
            }
            graph_ = read_graph(input_name_, options.n_given ? options.n : 0);
        }
        for (const char* flag : {"--output", "--next-hop", "--path"}) {
            refuse_given(flag, has_negative_cycle());
        }
        if (path_.empty()) return;
        if (options.check || options.profile) {
            throw course::UsageError(text("--path ", path_, ": it cannot be used with ",
                                          options.check ? "--check" : "--profile",
                                          ", which prints no summary"));
        }
        parse_path();
    }

    std::int64_t n() const override { return graph_.count; }
    double serial_seconds() const override {
        return 0.8e-9 * std::pow(static_cast<double>(graph_.count), 3);
    }
    std::string input_name() const override { return input_name_; }
    std::vector<std::string> notes() const override { return graph_.notes; }
    std::string parameters() const override {
        if (!is_named()) return "";
        std::string result;
        if (input_name_ == "random") result = text("density=", graph_options_.density, ';');
        result += text("max-weight=", graph_options_.max_weight);
        if (graph_options_.negative) result += ";negative=1";
        return result;
    }

    void poison_output() override {
        if (input_.count == 0) {
            // Not in prepare: only now is it certain that the matrices of a file fit the memory.
            input_ = make_input(graph_);
            output_.distances.resize(input_.cells());
            output_.next_hops.resize(input_.cells());
        }
        std::fill(output_.distances.begin(), output_.distances.end(),
                  std::numeric_limits<Distance>::min());
        std::fill(output_.next_hops.begin(), output_.next_hops.end(),
                  std::numeric_limits<Vertex>::min());
        output_.negative_cycle = false;
    }

    void run(PhaseTimer& timer) override {
        find_paths_(input_, output_, timer);
        if (output_.negative_cycle && !has_negative_cycle()) report_negative_cycle();
    }

    course::Verdict verify() override {
        if (!verifier_) verifier_.emplace(graph_, input_, seed_);
        return verifier_->verify(output_);
    }

    void exchange_result(course::ResultFile& file) override {
        file.list(output_.distances);
        file.list(output_.next_hops);
        file.flag(output_.negative_cycle);
    }

    std::vector<course::ReportField> report() const override {
        std::int64_t edges = 0;
        for (const Distance weight : input_.distances) {
            if (weight != kInfinity) ++edges;
        }
        std::vector<course::ReportField> fields = {{"edges", std::to_string(edges - n())}};
        if (path_.empty()) return fields;
        const std::vector<Vertex> path = path_between(output_, n(), path_from_, path_to_);
        if (path.empty()) {
            fields.push_back({"path", "none"});
            return fields;
        }
        fields.push_back({"path", describe(path, graph_.first_vertex)});
        fields.push_back(
            {"path_length", std::to_string(output_.distances[path_from_ * n() + path_to_])});
        return fields;
    }

    void write_output(std::ostream& out, PhaseTimer&) override {
        write_matrix(out, output_.distances, n(), kInfinity, "inf", 0);
    }
    std::vector<course::OutputFile> further_outputs() const override {
        return {{"--next-hop", "write the matrix of next hops (-1: no path)"}};
    }
    void write_further_output(std::string_view, std::ostream& out) override {
        write_matrix(out, output_.next_hops, n(), kNoHop, "-1", graph_.first_vertex);
    }

  private:
    const std::string input_help_ =
        course::names_for_help(kInputNames) +
        ", longest-path; negative-cycle, which a stage must report; or a file: DIMACS .gr, "
        "Matrix Market, a list of edges (.csv, or SNAP's), or (any other name) OR-Library "
        "p-median";
    bool has_negative_cycle() const { return input_name_ == kNegativeCycleName; }
    bool is_named() const {
        return has_negative_cycle() || input_name_ == kLongestPathName ||
               course::is_one_of(kInputNames, input_name_);
    }

    void refuse_given(const char* flag, bool refused) const {
        if (refused && command_line_->given(flag)) {
            throw course::UsageError(text(flag, ": it cannot be used with --input ", input_name_));
        }
    }

    void parse_path() {
        const std::size_t comma = std::min(path_.find(','), path_.size() - 1);
        const auto from = course::parse_integer(std::string_view(path_).substr(0, comma));
        const auto to = course::parse_integer(std::string_view(path_).substr(comma + 1));
        if (!from || !to) {
            throw course::UsageError(text("--path '", path_, "': it must name two vertices, A,B"));
        }
        for (const std::int64_t vertex : {from.value, to.value}) {
            if (vertex < graph_.first_vertex || vertex - graph_.first_vertex >= n()) {
                throw course::UsageError(text("--path ", path_, ": there is no vertex ", vertex,
                                              "; the vertices are ", graph_.first_vertex, " to ",
                                              n() - 1 + graph_.first_vertex));
            }
        }
        path_from_ = static_cast<Vertex>(from.value - graph_.first_vertex);
        path_to_ = static_cast<Vertex>(to.value - graph_.first_vertex);
    }

    // The stage has only seen that there is a negative cycle. The oracle finds it, or refutes it.
    [[noreturn]] void report_negative_cycle() const {
        const std::vector<Vertex> cycle = find_negative_cycle(input_);
        if (cycle.empty()) {
            throw std::runtime_error(
                "WRONG RESULT: the stage reports a negative cycle, but there is none");
        }
        std::int64_t length = 0;
        for (std::size_t i = 1; i < cycle.size(); ++i) {
            length += input_.distances[cycle[i - 1] * n() + cycle[i]];
        }
        throw course::InputError(text(input_name_, ": a cycle has negative length ", length, ": ",
                                      describe(cycle, graph_.first_vertex)));
    }

    FindPaths find_paths_;
    const course::CommandLine* command_line_ = nullptr;
    std::string input_name_;
    GraphOptions graph_options_;
    std::string path_;
    Vertex path_from_ = 0;
    Vertex path_to_ = 0;
    std::uint64_t seed_ = 1;
    Graph graph_;
    Input input_;
    Output output_;
    std::optional<Verifier> verifier_;
};

}  // namespace

int run_stage(int argc, char** argv, std::string_view stage_name, FindPaths find_paths) {
    return course::run_problem(argc, argv, stage_name,
                               [&] { return std::make_unique<Floyd>(find_paths); });
}

}  // namespace floyd
