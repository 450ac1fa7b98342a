// SPDX-License-Identifier: MIT
// The readers of files of edges.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/input/inputs.hpp"
#include "common/input/text_reader.hpp"
#include "problem/floyd.hpp"

namespace floyd {

using course::text;

namespace {

struct Edge {
    Vertex from, to;
    Distance weight;
};

// How to read a list of edges, beyond its lines.
struct EdgeRules {
    Vertex first_vertex = 0;
    bool both_ways = false;  // each line is an edge there and back
    Distance least_weight = -kMaxDistance;
};

// Reads the fields of edges, and keeps a bound of the length of all paths.
class EdgeReader {
  public:
    EdgeReader(course::TextReader& reader, const EdgeRules& rules)
        : reader_(reader), rules_(rules) {}

    void set_count(std::int64_t count) { longest_.resize(count); }
    std::int64_t count() const { return static_cast<std::int64_t>(longest_.size()); }
    std::size_t edges() const { return edges_.size(); }
    // The header's numbers of vertices and edges, in `field` and the field after it.
    void read_header(std::size_t field) {
        set_count(reader_.integer(field, "number of vertices", 1, kMaxVertices));
        announced_ = reader_.integer(field + 1, "number of edges", 1);
    }
    bool has_header() const { return announced_ > 0; }

    // Reads `field` and the next two fields; without a weight, it is 1. Vertices count as in the
    // file, up to `last`. An edge from a vertex to itself is on no shortest path.
    void read(std::size_t field, std::int64_t last) {
        const std::int64_t from = reader_.integer(field, "vertex", rules_.first_vertex, last);
        const std::int64_t to = reader_.integer(field + 1, "vertex", rules_.first_vertex, last);
        const std::int64_t weight =
            reader_.fields().size() == field + 2
                ? 1
                : reader_.integer(field + 2, "weight", rules_.least_weight, kMaxDistance);
        if (from == to && weight < 0) {
            reader_.fail(text("an edge from vertex ", from, " to itself has the negative weight ",
                              weight, ": there is no shortest path"));
        }
        const Edge edge = {static_cast<Vertex>(from - rules_.first_vertex),
                           static_cast<Vertex>(to - rules_.first_vertex),
                           static_cast<Distance>(weight)};
        if (const std::int64_t named = std::max(edge.from, edge.to) + 1; named > count()) {
            set_count(named);
        }
        edges_.push_back(edge);
        names_vertex_0_ = names_vertex_0_ || std::min(edge.from, edge.to) == 0;
        if (has_header() && static_cast<std::int64_t>(edges()) > announced_) {
            reader_.fail(text("more edges than the ", announced_, " that the header announces"));
        }
        if (from == to) return;
        note_weight(edge.from, edge.weight);
        if (rules_.both_ways) note_weight(edge.to, edge.weight);
    }

    // Errors: fewer edges than announced, and paths that might be too long.
    Graph graph() && {
        if (static_cast<std::int64_t>(edges()) < announced_) {
            reader_.fail(text("the file ends after ", edges(), " of the ", announced_,
                              " edges that the header announces"));
        }
        refuse_long_paths();
        Graph graph;
        graph.count = count();
        graph.first_vertex = rules_.first_vertex;
        graph.for_each_edge = [list = std::move(edges_),
                               both_ways = rules_.both_ways](const AddEdge& add) {
            for (const auto& [from, to, weight] : list) {
                if (from == to) continue;
                add(from, to, weight);
                if (both_ways) add(to, from, weight);
            }
        };
        if (!has_header() && !names_vertex_0_) {
            graph.notes.push_back(text(reader_.path(),
                                       ": no edge names vertex 0, which is isolated "
                                       "here: vertices of this format count from 0"));
        }
        return graph;
    }

  private:
    void note_weight(Vertex from, Distance weight) {
        longest_[from] = std::max<std::int64_t>(longest_[from], std::abs(weight));
    }
    // A path leaves each vertex at most once, and its last vertex never.
    void refuse_long_paths() const {
        const std::int64_t longest =
            std::accumulate(longest_.begin(), longest_.end(), std::int64_t{0}) -
            *std::min_element(longest_.begin(), longest_.end());
        if (longest > kMaxDistance) {
            throw course::InputError(text(reader_.path(), ": a path may be ", longest,
                                          " long, above the limit of ", kMaxDistance));
        }
    }

    course::TextReader& reader_;
    EdgeRules rules_;
    std::vector<Edge> edges_;
    std::int64_t announced_ = 0;
    bool names_vertex_0_ = false;
    std::vector<std::int64_t> longest_;  // the largest |weight| out of each vertex
};

Graph read_dimacs(course::TextReader& reader, std::int64_t) {
    EdgeReader edges(reader, {.first_vertex = 1});
    while (reader.next_line()) {
        const std::string_view kind = reader.fields()[0];
        if (kind == "c") continue;
        if (kind == "p") {
            if (edges.has_header()) reader.fail("a second `p` line");
            reader.expect_fields(4, "p sp VERTICES EDGES");
            if (reader.fields()[1] != "sp") reader.fail("the problem must be `sp`");
            edges.read_header(2);
        } else if (kind == "a") {
            if (!edges.has_header()) reader.fail("an edge before the line `p sp VERTICES EDGES`");
            reader.expect_fields(4, "a FROM TO WEIGHT");
            edges.read(1, edges.count());
        } else {
            reader.fail(
                text("a line must start with `c`, `p` or `a`, not with ", course::in_quotes(kind)));
        }
    }
    if (!edges.has_header()) reader.fail("the file ends without a line `p sp VERTICES EDGES`");
    return std::move(edges).graph();
}

// Boisvert, Pozo and Remington, "The Matrix Market exchange formats" (1996): each entry of a sparse
// matrix is an edge from its row to its column.
Graph read_matrix_market(course::TextReader& reader, std::int64_t) {
    std::array<std::string, 5> banner;  // %%MatrixMarket matrix coordinate FIELD SYMMETRY
    std::istringstream words(reader.first_line());
    for (std::string& word : banner) {
        words >> word;
        for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    const auto expect = [&](std::string_view word, std::initializer_list<std::string_view> taken) {
        if (std::ranges::find(taken, word) != taken.end()) return;
        std::string names;
        for (const std::string_view name : taken) names += text(names.empty() ? "" : ", ", name);
        throw course::InputError(text(reader.path(), ":1: ", course::in_quotes(word),
                                      " in the line %%MatrixMarket; a graph has ", names));
    };
    expect(banner[1], {"matrix"});
    expect(banner[2], {"coordinate"});
    expect(banner[3], {"integer", "real", "pattern"});
    expect(banner[4], {"general", "symmetric"});
    EdgeReader edges(reader, {.first_vertex = 1, .both_ways = banner[4] == "symmetric"});
    reader.next_line();
    reader.expect_fields(3, "ROWS COLUMNS ENTRIES");
    if (reader.fields()[0] != reader.fields()[1]) reader.fail("the matrix of a graph is square");
    edges.read_header(1);
    const bool pattern = banner[3] == "pattern";
    while (reader.next_line()) {
        reader.expect_fields(pattern ? 2 : 3, pattern ? "ROW COLUMN" : "ROW COLUMN VALUE");
        edges.read(0, edges.count());
    }
    return std::move(edges).graph();
}

Graph read_p_median(course::TextReader& reader, std::int64_t) {
    EdgeReader edges(reader, {.first_vertex = 1, .both_ways = true, .least_weight = 0});
    reader.next_line();
    reader.expect_fields(3, "VERTICES EDGES P");
    edges.read_header(0);
    reader.integer(2, "number of medians", 1, edges.count());
    while (reader.next_line()) {
        reader.expect_fields(3, "FROM TO COST");
        edges.read(0, edges.count());
    }
    Graph graph = std::move(edges).graph();
    graph.last_edge_wins = true;
    return graph;
}

Graph read_edges(course::TextReader& reader, std::int64_t count, const EdgeRules& rules,
                 std::string_view layout) {
    EdgeReader edges(reader, rules);
    edges.set_count(count);
    const std::int64_t last = (count > 0 ? count : kMaxVertices) - 1;
    while (reader.next_row(layout)) edges.read(0, last);
    return std::move(edges).graph();
}

// What a file is read as, and why.
struct Format {
    std::string name;
    std::string reason;
    Graph (*read)(course::TextReader&, std::int64_t count);
};

Graph read_weighted(course::TextReader& reader, std::int64_t count) {
    return read_edges(reader, count, {}, "from to weight");
}
Graph read_unweighted(course::TextReader& reader, std::int64_t count) {
    return read_edges(reader, count, {}, "from to");
}
Graph read_undirected(course::TextReader& reader, std::int64_t count) {
    return read_edges(reader, count, {.both_ways = true}, "from to");
}

std::string ending_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const std::size_t point = path.rfind('.');
    if (point == std::string::npos || (slash != std::string::npos && point < slash)) return {};
    std::string ending = path.substr(point);
    for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return ending;
}

// By what a file says of itself; then by its name's ending; then by its first line of numbers.
Format find_format(course::TextReader& reader) {
    const auto is_one_of = [](std::string_view value, std::initializer_list<const char*> values) {
        return std::ranges::find(values, value) != values.end();
    };
    reader.next_line();
    reader.unread();
    const auto& fields = reader.fields();
    if (reader.first_line().starts_with("%%MatrixMarket")) {
        return {"Matrix Market", "its first line says so", read_matrix_market};
    }
    const std::string ending = ending_of(reader.path());
    const std::string by_ending = text("its name ends in ", ending);
    if (ending == ".gr") return {"DIMACS", by_ending, read_dimacs};
    if (ending == ".mtx") {
        reader.fail(
            "a name that ends in .mtx is of a Matrix Market file, whose first line begins "
            "with %%MatrixMarket");
    }
    if (ending != ".csv" && ((fields[0] == "p" && fields.size() == 4) || fields[0] == "c")) {
        return {"DIMACS", text("its first line begins with `", fields[0], '`'), read_dimacs};
    }
    const bool is_list = is_one_of(ending, {".csv", ".tsv", ".edges", ".edgelist", ".el", ".wel"});
    const bool has_names = reader.is_names();
    const bool is_snap = reader.comments().find("FromNodeId") != std::string::npos;
    if (fields.size() == 2) {
        const std::string reason =
            has_names ? "its header row has two names" : "its first line has two numbers";
        if (reader.comments().find("Undirected graph") != std::string::npos) {
            return {"a list of undirected edges that weigh 1", reason + ", and its comments say so",
                    read_undirected};
        }
        return {"a list of edges that weigh 1", reason, read_unweighted};
    }
    if (is_list) return {"a list of edges", by_ending, read_weighted};
    if (has_names) return {"a list of edges", "it has a header row", read_weighted};
    if (is_snap) return {"a list of edges", "its comments name FromNodeId", read_weighted};
    return {"OR-Library p-median",
            text("its name ends in ", ending.empty() ? "nothing known" : ending,
                 "; a list of edges has a header row, or a name that ends in .csv"),
            read_p_median};
}

}  // namespace

Graph read_graph(const std::string& path, std::int64_t count) {
    if (count > kMaxVertices) {
        throw course::UsageError(
            text("--n ", count, ": there may be at most ", kMaxVertices, " vertices"));
    }
    course::TextReader reader(path);
    const Format format = find_format(reader);
    const std::string read_as = text("read as ", format.name, ": ", format.reason);
    reader.explain_format(read_as);
    Graph graph = format.read(reader, count);
    graph.notes.insert(graph.notes.begin(), text(path, ": ", read_as));
    course::refuse_other_n(count, path, graph.count, "vertices");
    return graph;
}

}  // namespace floyd
