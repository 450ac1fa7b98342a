// SPDX-License-Identifier: MIT
#include "common/emulator/runtime/graph.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "common/emulator/device/host_hooks.hpp"

namespace emulator {
namespace {

struct Graphs {
    std::unordered_map<cudaGraph_t, std::unique_ptr<Graph>> all;
    std::unordered_set<cudaGraphNode_t> nodes;
    std::vector<Conditional> conditionals;
    std::uint64_t last_id = 0;
};

Graphs& graphs() {
    static auto* all = new Graphs;  // never destroyed: static destructors may use graphs
    return *all;
}

template <class T>
bool holds(const std::vector<T>& values, const T& value) {
    return std::find(values.begin(), values.end(), value) != values.end();
}

void forget_node(GraphNode& node) {
    graphs().nodes.erase(&node);
    for (Graph* child : node.children) destroy_graph(*child);
}

}  // namespace

Graph* find_graph(cudaGraph_t handle) {
    const auto found = graphs().all.find(handle);
    return found == graphs().all.end() ? nullptr : found->second.get();
}

GraphNode* find_node(cudaGraphNode_t handle) {
    return graphs().nodes.contains(handle) ? handle : nullptr;
}

Conditional* find_conditional(cudaGraphConditionalHandle handle) {
    std::vector<Conditional>& all = graphs().conditionals;
    return handle == 0 || handle > all.size() ? nullptr : &all[handle - 1];
}

cudaGraphConditionalHandle make_conditional(Graph& graph, unsigned default_value,
                                            bool has_default) {
    graphs().conditionals.push_back({&graph, default_value, has_default, default_value, false});
    return graphs().conditionals.size();
}

Graph& create_graph() {
    auto graph = std::make_unique<Graph>();
    graph->id = ++graphs().last_id;
    Graph& result = *graph;
    graphs().all[&result] = std::move(graph);
    return result;
}

void destroy_graph(Graph& graph) {
    for (const auto& node : graph.nodes) forget_node(*node);
    // A later graph may lie at the same address.
    for (auto& [handle, other] : graphs().all) {
        if (other->original == &graph) other->original = nullptr;
    }
    graphs().all.erase(&graph);
}

void forget_graphs() {
    graphs().all.clear();
    graphs().nodes.clear();
    graphs().conditionals.clear();
}

Graph& clone_graph(const Graph& graph) {
    Graph& copy = create_graph();
    copy.original = &graph;
    copy.objects = graph.objects;
    std::unordered_map<const GraphNode*, GraphNode*> copies;
    for (const auto& node : graph.nodes) {
        auto made = std::make_unique<GraphNode>();
        made->graph = &copy;
        made->number = node->number;
        made->device = node->device;
        made->work = node->work;
        made->original = node.get();
        for (const Graph* child : node->children) {
            Graph& own = clone_graph(*child);
            own.parent = made.get();
            made->children.push_back(&own);
        }
        copies[node.get()] = made.get();
        graphs().nodes.insert(made.get());
        copy.nodes.push_back(std::move(made));
    }
    for (const auto& node : graph.nodes) {
        for (const GraphNode* before : node->dependencies) {
            add_edge(*copies[before], *copies[node.get()]);
        }
    }
    copy.next_number = graph.next_number;
    return copy;
}

GraphNode& add_node(Graph& graph, std::shared_ptr<Work> work, int device,
                    const std::vector<GraphNode*>& dependencies) {
    auto node = std::make_unique<GraphNode>();
    node->graph = &graph;
    node->number = graph.next_number++;
    node->device = device;
    if (host_hooks.note_caller != nullptr) work->caller = host_hooks.note_caller();
    node->work = std::move(work);
    for (GraphNode* before : dependencies) add_edge(*before, *node);
    graphs().nodes.insert(node.get());
    graph.nodes.push_back(std::move(node));
    return *graph.nodes.back();
}

void destroy_node(GraphNode& node) {
    while (!node.dependencies.empty()) remove_edge(*node.dependencies.back(), node);
    while (!node.dependents.empty()) remove_edge(node, *node.dependents.back());
    forget_node(node);
    std::erase_if(node.graph->nodes, [&](const auto& other) { return other.get() == &node; });
}

cudaError_t take_dependencies(Graph& graph, const cudaGraphNode_t* handles, std::size_t count,
                              std::vector<GraphNode*>& dependencies) {
    if (count > 0 && handles == nullptr) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < count; ++i) {
        GraphNode* node = find_node(handles[i]);
        if (node == nullptr || node->graph != &graph || holds(dependencies, node)) {
            return cudaErrorInvalidValue;
        }
        dependencies.push_back(node);
    }
    return cudaSuccess;
}

void add_edge(GraphNode& from, GraphNode& to) {
    to.dependencies.push_back(&from);
    from.dependents.push_back(&to);
}

bool remove_edge(GraphNode& from, GraphNode& to) {
    return std::erase(to.dependencies, &from) + std::erase(from.dependents, &to) > 0;
}

bool has_edge(const GraphNode& from, const GraphNode& to) {
    return holds(from.dependents, const_cast<cudaGraphNode_t>(&to));
}

bool has_circle(const Graph& graph) {
    std::unordered_map<const GraphNode*, std::size_t> left;
    std::vector<const GraphNode*> ready;
    for (const auto& node : graph.nodes) {
        left[node.get()] = node->dependencies.size();
        if (node->dependencies.empty()) ready.push_back(node.get());
    }
    std::size_t taken = 0;
    while (!ready.empty()) {
        const GraphNode* node = ready.back();
        ready.pop_back();
        ++taken;
        for (const GraphNode* next : node->dependents) {
            if (--left[next] == 0) ready.push_back(next);
        }
    }
    return taken < graph.nodes.size();
}

bool has_type(const Graph& graph, cudaGraphNodeType type) {
    return std::any_of(graph.nodes.begin(), graph.nodes.end(), [type](const auto& node) {
        return node->work->type() == type ||
               std::any_of(node->children.begin(), node->children.end(),
                           [type](const Graph* child) { return has_type(*child, type); });
    });
}

}  // namespace emulator
